#!/usr/bin/env python3
"""Which public names the reference documents: `coverage.py FOLDER` reads the XML that the build left in FOLDER/xml.

A name counts once, with all of its overloads, and is documented when one of them is. `detail` is no public name, nor are
the types whose name is the message of a deleted overload. Types found in the headers by a plain search must be in the
reference too, so that a name that Doxygen or its filter loses is a failure and no gap in the count.
"""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

from filter import RULES, Reader

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
Name = collections.namedtuple("Name", "name short kind documented brief url file line top")


def text_of(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def entry(element, name, kind, url, top):
    place = element.find("location")
    for parent in list(element.iter("para")):  # a driver function, or a constraint, is no documentation
        for section in parent.findall("simplesect[@kind='par']"):
            parent.remove(section)
    brief, long = text_of(element.find("briefdescription")), text_of(element.find("detaileddescription"))
    return Name(
        name,
        name.rsplit("::", 1)[-1],
        kind,
        bool(brief or long),
        brief or long.split(". ")[0],
        url,
        place.get("file", "") if place is not None else "",
        place.get("line", "") if place is not None else "",
        top,
    )


def public_names(folder):
    names = []
    for index in xml.parse(folder / "index.xml").getroot():
        kind = index.get("kind")
        if kind in ("page", "dir", "example"):
            continue
        compound = xml.parse(folder / (index.get("refid") + ".xml")).getroot().find("compounddef")
        scope = compound.findtext("compoundname")
        is_type = kind in ("class", "struct", "union", "concept")
        if kind == "file" and not any(
            m.get("kind") == "define" or scope.endswith(".h") for m in compound.iter("memberdef")
        ):
            continue
        if is_type:
            names.append(entry(compound, scope, kind, compound.get("id") + ".html", True))
        for member in compound.iter("memberdef"):
            if member.get("prot") not in ("public", None) or member.get("kind") == "friend":
                continue
            short = member.findtext("name")
            file, _, anchor = member.get("id").rpartition("_1")
            if not member.get("id").startswith(compound.get("id")):
                continue  # a base's, listed again
            prefix = scope + "::" if kind in ("class", "struct", "union", "namespace") else ""
            if kind == "file" and member.get("kind") == "function" and not scope.endswith(".h"):
                continue
            names.append(entry(member, prefix + short, member.get("kind"), f"{file}.html#{anchor}", not is_type))
            for value in member.findall("enumvalue"):
                names.append(
                    entry(
                        value,
                        prefix + short + "::" + value.findtext("name"),
                        "enumvalue",
                        f"{file}.html#{value.get('id').rpartition('_1')[2]}",
                        False,
                    )._replace(file=names[-1].file, line=names[-1].line)
                )
    return names


def types_in_headers():
    """Names of types outside of `detail`, found without Doxygen."""
    for path in sorted((ROOT / "include").rglob("*.hpp")):
        text = re.sub(
            r"^namespace (\w+::)?detail \{.*?^\}  // namespace (\w+::)?detail", "", path.read_text(), flags=re.S | re.M
        )
        for match in re.finditer(
            r"^(?:class|struct|enum class|concept|using)\s+(?:\[\[[^\n]*?\]\]\s*)?(?:ALLOGRAPH_\w+ )?(\w+)(?=[^;\n]*[{=]|\n?\s)",
            text,
            re.M,
        ):
            line = text[match.start() : text.find("\n", match.start())]
            if (
                not match[1].startswith("because_")
                and not line.rstrip().endswith(";")
                or "using" in line
                and "=" in line
            ):
                yield match[1]


class forms(Reader):
    """Where a comment of the headers is not in the form of the others: it has to name the driver functions that are
    called, and rules that exist."""

    def __init__(self, path):
        super().__init__(path.read_text())
        self.path, self.wrong = path.relative_to(ROOT), []
        self.read_scope()

    def declare(self, head, owner, comment, comment_line, line, tail, last, after):
        body = self.text[self.text.rfind(head, 0, self.at) + len(head) : self.at]
        text = "\n".join(comment)
        name = self.name_of(self.without_template(self.clean(head)[0]))
        calls = re.findall(
            r"\bdriver::(graph|stream|device|mem|ctx|func|kernel)_\w+\(|\b(cu(?!GetError)[A-Z]\w+)\(", body
        )
        if calls and comment and not re.search(r"\b(Driver|Runtime): ", text):
            self.wrong.append(f"{self.path}:{line}: the comment of {name} does not name the driver function")
        self.wrong += [
            f"{self.path}:{line}: there is no rule {rule}"
            for rule in re.findall(r"\[([A-Z]\d+)\]", text)
            if rule not in RULES
        ]
        return super().declare(head, owner, comment, comment_line, line, tail, last, after)


def report(names):
    wrong = [line for path in sorted((ROOT / "include").rglob("*.hpp")) for line in forms(path).wrong]
    print("\n".join(wrong), end="\n" if wrong else "")
    by_name = collections.defaultdict(list)
    for name in names:
        by_name[name.name].append(name)
    missing = [group[0] for group in by_name.values() if not any(n.documented for n in group)]
    for name in sorted(missing, key=lambda n: (n.file, int(n.line or 0))):
        print(f"{name.file}:{name.line}: {name.name} is not documented")
    known = {name.short for name in names} | {name.short.split("<")[0] for name in names}
    lost = sorted(set(types_in_headers()) - known)
    for name in lost:
        print(f"{name} is in the headers and not in the reference")
    done = len(by_name) - len(missing)
    print(f"{done} of {len(by_name)} public names documented ({100 * done // max(1, len(by_name))} %)")
    return 1 if missing or lost or wrong or not by_name else 0


if __name__ == "__main__":
    sys.exit(report(public_names(pathlib.Path(sys.argv[1]) / "xml")))
