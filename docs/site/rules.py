#!/usr/bin/env python3
"""The table of rules, from tests/rules.txt and the tests that carry their ids."""

import collections
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

GROUPS = {
    "D": "Dependencies",
    "A": "Allocation nodes",
    "F": "Freed once",
    "O": "Order",
    "G": "What a graph with memory nodes may not do",
    "C": "Children, conditionals, capture",
    "X": "Launch and lifetime",
    "P": "Several devices",
    "M": "Physical memory",
}
LAYERS = {
    "works": "nothing to catch: it works",
    "type": "the compiler",
    "clang": "clang's `-Wconsumed`",
    "model": "`verify`, `prove` and `report`",
    "add": "the call that adds the node",
    "capture": "the end of the capture",
    "instantiate": "`instantiate`",
    "launch": "`launch`",
    "doc": "nobody: it is for the reader",
}


def tests_by_rule():
    """How many tests carry each id: (that run, that must not compile, static)."""
    found = collections.defaultdict(lambda: [0, 0, 0])
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix not in (".cpp", ".cu", ".hpp"):
            continue
        text = path.read_text()
        for case in re.findall(r"\b(?:TEST_CASE|TEMPLATE\w*_TEST_CASE|TEST_CASE_METHOD)\s*\(([^{]*)", text):
            for rule in set(re.findall(r"\[([A-Z]\d+)\]", case)):
                found[rule][0] += 1
        for line in re.findall(r"^\s*// rule:(.*)$", text, re.M):
            for rule in re.findall(r"\b[A-Z]\d+\b", line):
                found[rule][1] += 1
        for line in re.findall(r"^\s*// rules:(.*)$", text, re.M):
            for rule in re.findall(r"\b[A-Z]\d+\b", line):
                found[rule][2] += 1
    return found


def rows():
    for line in (ROOT / "tests/rules.txt").read_text().splitlines():
        match = re.match(r"([A-Z]\d+) (\S+) (?:later )?(.*)", line)
        if match:
            yield match[1], [LAYERS.get(layer, layer) for layer in match[2].split("+")], match[3]


def page():
    tests = tests_by_rule()
    text = "/** @page page_rules Rules, and what catches each\n\nA rule has an id that stays. A message, a test and this page name it.\n"
    text += "The last column counts the tests that carry the id: those that run, those that must not compile, and static ones.\n"
    text += "Calls that the compiler refuses are in @ref page_refusals.\n"
    group = None
    for rule, layers, what in rows():
        if rule[0] != group:
            group = rule[0]
            text += f"\n@section rules_{group} {group}: {GROUPS.get(group, group)}\n\n| id | rule | caught by | tests |\n|---|---|---|---|\n"
        run, refused, static = tests[rule]
        text += f"| @anchor rule_{rule} {rule} | {what} | {', '.join(layers)} | {run} + {refused} + {static} |\n"
    return text + "*/\n"


if __name__ == "__main__":
    print(page())
