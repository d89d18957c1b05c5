#!/usr/bin/env python3
"""Fails while a rule of rules.txt has no test.

A test names its rules as Catch2 tags (`[A1]` in .cpp and .cu), as `// rule: A1` (must_not_compile) or as
`// rules: A1 A2` (static). The raw conformance tests (raw_*.cpp) do not count: they show what the driver answers, not
that the library enforces the rule.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent


def tested_rules():
    tested = set()
    for path in HERE.rglob("*"):
        if path.suffix in (".cpp", ".cu", ".hpp") and not path.name.startswith("raw_"):
            text = path.read_text()
            for test in re.findall(r"\b(?:TEST_CASE|TEMPLATE\w*_TEST_CASE|TEST_CASE_METHOD)\s*\(([^{]*)", text):
                tested.update(re.findall(r"\[([A-Z]\d+)\]", test))
            for line in re.findall(r"^\s*// rules?:(.*)$", text, re.M):
                tested.update(re.findall(r"\b[A-Z]\d+\b", line))
    return tested


def main():
    lines = [line for line in (HERE / "rules.txt").read_text().splitlines() if line and line[0] != "#"]
    rules = [re.match(r"(\w+) (\S+) (.*)", line).groups() for line in lines]
    tested = tested_rules()
    state = {"tested": [], "documented": [], "MISSING": []}
    for name, layer, text in rules:
        key = "tested" if name in tested else "documented" if layer == "doc" else "MISSING"
        state[key].append((name, text))
    for key in ("tested", "documented"):
        print(f"{key}: {len(state[key])}  {' '.join(name for name, _ in state[key])}")
    for name, text in state["MISSING"]:
        print(f"no test: {name}  {text}")
    unknown = tested - {rule[0] for rule in rules}
    for name in sorted(unknown):
        print(f"a test names an unknown rule: {name}")
    return 1 if state["MISSING"] or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
