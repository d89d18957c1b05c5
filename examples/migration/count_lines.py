#!/usr/bin/env python3
"""Counts the lines of code of both versions, without blanks and comments; `--check` compares with the guide."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
GUIDE = HERE.parent.parent / "docs/guide/moving.md"
PARTS = {
    "memory_nodes": "graphMemoryNodes",
    "footprint": "graphMemoryFootprint",
    "conditional_nodes": "graphConditionalNodes",
}


def lines(name):
    text = re.sub(r"/\*.*?\*/", "", (HERE / name).read_text(), flags=re.S)
    return sum(1 for line in text.splitlines() if line.split("//")[0].strip())


def main():
    rows = []
    for part, sample in PARTS.items():
        raw, ours = lines(f"{part}_raw.cpp"), lines(f"{part}.cpp")
        rows.append(f"| `{sample}` | {raw} | {ours} |")
    print("\n".join(rows))
    if "--check" in sys.argv:
        stale = [row for row in rows if row not in GUIDE.read_text()]
        for row in stale:
            print(f"docs/guide/moving.md lacks the row {row}")
        return 1 if stale else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
