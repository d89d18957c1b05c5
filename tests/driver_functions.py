#!/usr/bin/env python3
"""Compares docs/driver-functions.md with cuda.h and with the library.

Every graph function of the header has one row, no row names another function, and what a row says is wrapped is called
somewhere under include/. A header older than the table may lack functions; a newer one may not have more.
"""

import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def header():
    candidates = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    nvcc = shutil.which("nvcc")
    if nvcc:
        candidates.insert(0, pathlib.Path(nvcc).resolve().parent.parent)
    for candidate in candidates:
        if candidate and (pathlib.Path(candidate) / "include/cuda.h").exists():
            return (pathlib.Path(candidate) / "include/cuda.h").read_text(errors="replace")
    sys.exit("driver_functions: no cuda.h found; put nvcc on PATH or set CUDA_PATH")


def main():
    text = header()
    version = int(re.search(r"#define CUDA_VERSION (\d+)", text)[1])
    declared = set(re.findall(r"CUDAAPI\s+(cuGraph\w+|cuUserObject\w+|cuDevice\w*Graph\w*)\s*\(", text))
    # An older header declares these under the names of their second versions.
    declared = {re.sub(r"(?<!Instantiate)_v2$", "", name) for name in declared if not name.startswith("cuGraphics")}
    rows = re.findall(r"^\| `(cu\w+)` \| (.+) \|$", (ROOT / "docs/driver-functions.md").read_text(), re.M)
    library = "\n".join(path.read_text() for path in (ROOT / "include").rglob("*.hpp"))
    named = [name for name, _ in rows]
    wrong = [f"{name} has no row" for name in sorted(declared - set(named))]
    wrong += [f"{name} has more than one row" for name in sorted(set(named)) if named.count(name) > 1]
    if version >= 13000:
        wrong += [f"{name} is no function of cuda.h" for name in sorted(set(named) - declared)]
    for name, where in rows:
        called = re.search(rf"\b{name}(_v2|WithFlags)?\(", library) is not None
        wrapped = not where.startswith(("not ", "the older form"))
        if wrapped and not called:
            wrong.append(f"{name} is said to be wrapped, and nothing under include/ calls it")
        if where.startswith("not wrapped") and called:
            wrong.append(f"{name} is said not to be wrapped, and include/ calls it")
        for member in re.findall(r"`(?:\w+::)?(\w+)(?:\(.*?\))?`", where) if wrapped else []:
            if not re.search(rf"\b{member}\b", library):
                wrong.append(f"{name}: there is no {member} under include/")
    print("\n".join(wrong) or f"{len(rows)} functions, each with its row")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
