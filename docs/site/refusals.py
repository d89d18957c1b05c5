#!/usr/bin/env python3
"""The list of calls that do not compile, and what the compiler says, from the deleted overloads of the headers."""

import collections
import pathlib
import re

from filter import Reader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class deleted(Reader):
    """Which members a header deletes, by the reason."""

    def __init__(self, path, found, chosen):
        super().__init__(path.read_text())
        self.found, self.chosen = found, chosen
        self.read_scope()

    def declare(self, head, owner, comment, comment_line, line, tail, last, after):
        if re.search(r"=\s*delete\b", head):
            text = " ".join(head.split())
            name = self.name_of(self.without_template(self.cut_requires(self.without_attributes(text))[0])) or ""
            owner = {
                "conditional_nodes": "basic_graph",
                "child_nodes": "basic_graph",
                "more_nodes": "basic_graph",
                "node_builder": "basic_graph",
                "exec_updates": "graph_exec",
            }.get(owner, owner)
            where = f"{owner}::{name}" if owner else name
            for word in re.findall(r"\b(because_\w+|why_\w+)", text):
                for reason in self.chosen.get(word, [word]):
                    if reason.startswith("because_"):
                        self.found[reason].add(where)
        return super().declare(head, owner, comment, comment_line, line, tail, last, after)


def refusals():
    headers = sorted((ROOT / "include").rglob("*.hpp"))
    text = "\n".join(path.read_text() for path in headers)
    aliases = {m[1]: m[2] for m in re.finditer(r"using (why_\w+) =(.*?);\n", text, re.S)}
    chosen = {}
    for name in aliases:
        words, seen = [name], set()
        while words:
            word = words.pop()
            if word not in seen:
                seen.add(word)
                words += re.findall(r"\b(?:because|why)_\w+", aliases.get(word, ""))
        chosen[name] = sorted(word for word in seen if word.startswith("because_"))
    found = collections.defaultdict(set)
    for path in headers:
        deleted(path, found, chosen)
    return {
        reason: found.get(reason, set())
        for reason in sorted(set(re.findall(r"^\s*struct (because_\w+) \{\};", text, re.M)))
    }


def page():
    rows = ""
    for reason, members in refusals().items():
        words = reason.removeprefix("because_").replace("_", " ")
        rows += f"| {words} | {', '.join(f'`{m}`' for m in sorted(members))} |\n"
    return (
        "/** @page page_refusals What does not compile\n\nA call that the types forbid chooses a deleted overload, and the compiler shows the name of a type\n"
        "that begins with `because_`: it says why, and often what to write. These are all of them, without the underscores.\n\n"
        "| because | calls |\n|---|---|\n" + rows + "*/\n"
    )


if __name__ == "__main__":
    print(page())
