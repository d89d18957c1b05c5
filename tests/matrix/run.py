#!/usr/bin/env python3
"""Compiles the library with every compiler and every toolkit that it is for, and prints the table.

A cell of the table is a compiler with the headers of one toolkit. In each, every public header compiles alone, twice
included, and the static tests pass, without a warning. Some cells compile more: the reference driver, the examples and
the tests, so that the commands of the README hold for that toolkit too.

Usage: run.py [--jobs N] [FILTER]...   a filter is a part of a cell's name, as 'clang++-14', '12.3' or 'nvcc'
"""

import argparse
import concurrent.futures
import dataclasses
import os
import re
import resource
import shutil
import subprocess
import sys
import time

from toolkits import FIRST, NEWEST, ROOT, TOOLKITS, USUAL, fetch, version

WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
OBJECT = ("-c", "-o", os.devnull)
DEMO = ("reference_driver/src", "examples/quickstart.cpp", "examples/replay.cpp", "tools/allograph_audit")
TESTS = ("benchmarks", "tests/unit")
# What CMake says of single files.
DEFINITIONS = {
    "tests/conformance/faults.cpp": f'-DALLOGRAPH_HEADERS="{ROOT}/include/allograph"',
    "tests/conformance/per_thread.cpp": "-DCUDA_API_PER_THREAD_DEFAULT_STREAM",
}


@dataclasses.dataclass(frozen=True)
class Cell:
    compiler: str
    toolkit: str
    what: tuple = ("headers", "tests/static")
    flags: tuple = ()
    mode: tuple = ("-fsyntax-only",)

    @property
    def row(self):
        return " ".join([self.compiler, *(flag for flag in self.flags if flag != "-ccbin")])


def cells():
    yield Cell("clang++-19", USUAL, flags=("-stdlib=libc++",))
    for compiler in ("g++-12", "clang++-14"):
        yield Cell(compiler, USUAL, flags=("-fno-rtti",))
    # Warnings that only the optimiser gives.
    yield Cell("g++-12", USUAL, ("umbrellas", "tests/static", *DEMO, *TESTS), ("-O3",), OBJECT)
    # nvcc takes the headers of its own version alone.
    yield Cell("nvcc", USUAL, flags=("-ccbin", "g++-12"))
    for host in ("clang++-14", "clang++-16", "clang++-19"):
        yield Cell("nvcc", USUAL, ("umbrellas", "tests/static"), ("-ccbin", host))
    for toolkit in TOOLKITS:
        what = ["headers", "tests/static", *DEMO]
        if toolkit in (FIRST, USUAL, NEWEST):
            # The conformance tests ask for what the driver API of 13.0 has, and take the longest.
            what += [*TESTS, *(["tests/conformance"] if toolkit == USUAL else [])]
            yield Cell("clang++-16", toolkit)
            yield Cell("clang++-19", toolkit)
        yield Cell("clang++-14", toolkit)
        yield Cell("g++-12", toolkit, tuple(what))


def sources(what):
    """The names and the files of translation units."""
    if what not in ("headers", "umbrellas"):
        for source in sorted((ROOT / what).glob("**/*.cpp")) or [ROOT / what]:
            yield str(source.relative_to(ROOT)), source
        return
    include = ROOT / "include"
    for header in sorted(include.glob("**/*.hpp" if what == "headers" else "allograph/*.hpp")):
        if "detail" in header.parts:
            continue  # `./dev test headers` compiles these alone; here the public ones include them
        name = str(header.relative_to(include))
        source = ROOT / "build/matrix/alone" / f"{name.replace('/', '.')}.cpp"
        if not source.exists():
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(f"#include <{name}>\n#include <{name}>\n")
        yield name, source


def command(cell, source):
    search = [f"-I{ROOT / folder}" for folder in ("include", "reference_driver/include")]
    if cell.compiler == "nvcc":
        # What nvcc hands to the host's compiler is not pedantic C++, and shadows.
        host = ",".join(flag for flag in WARNINGS if flag not in ("-Wpedantic", "-Wshadow"))
        return ["nvcc", *cell.flags, "-x", "cu", "-arch=sm_90", "-std=c++20", "-Werror=all-warnings", f"-Xcompiler={host}", *search, *OBJECT, source]
    if source.is_relative_to(ROOT / "reference_driver"):
        search += ["-D__CUDA_API_VERSION_INTERNAL", "-D__CUDA_API_PUSH_VISIBILITY_DEFAULT"]
    defined = [text for name, text in DEFINITIONS.items() if source == ROOT / name]
    return [cell.compiler, *cell.mode, "-std=c++20", *WARNINGS, *cell.flags, *defined, *search, "-isystem", fetch(cell.toolkit), source]


def run(cell, pool):
    """The number of translation units that compiled, and what the compiler said of the others."""

    def compile_one(unit):
        name, source = unit
        environment = dict(os.environ, LC_ALL="C")
        result = subprocess.run(command(cell, source), capture_output=True, text=True, errors="replace", env=environment)
        return name, result.returncode, result.stdout + result.stderr

    units = [unit for what in cell.what for unit in sources(what)]
    failures = [(name, message) for name, code, message in pool.map(compile_one, units) if code != 0]
    return len(units) - len(failures), failures


def table(results):
    rows = sorted({cell.row for cell in results})
    width = max(map(len, rows)) + 2
    yield "".ljust(width) + "".join(version(toolkit).rjust(12) for toolkit in TOOLKITS)
    for row in rows:
        line = row.ljust(width)
        for toolkit in TOOLKITS:
            of_cell = [result for cell, result in results.items() if (cell.row, cell.toolkit) == (row, toolkit)]
            text = ""
            if of_cell:
                passed, failures = of_cell[0]
                text = f"{len(failures)} FAILED" if failures else f"{passed} ok"
            line += text.rjust(12)
        yield line.rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    chosen = [cell for cell in cells() if all(each in f"{cell.row} {cell.toolkit}" for each in options.filters)]
    if not chosen:
        sys.exit("matrix: no cell is named so")
    compilers = {tool for cell in chosen for tool in (cell.compiler, *cell.flags) if not tool.startswith("-")}
    missing = sorted(compiler for compiler in compilers if not shutil.which(compiler))
    if missing:
        sys.exit(f"matrix: missing: {' '.join(missing)}")
    for toolkit in TOOLKITS:
        fetch(toolkit)

    results = {}
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for cell in chosen:
            began = time.monotonic()
            results[cell] = passed, failures = run(cell, pool)
            for name, message in failures:
                print(f"--- {cell.row}, CUDA {cell.toolkit}: {name}\n{message[:2000]}")
            print(f"{cell.row}, CUDA {version(cell.toolkit)}: {passed} compile, {len(failures)} do not, {time.monotonic() - began:.0f} s", flush=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\nTranslation units that compile, without a warning; {time.monotonic() - start:.0f} s, {spent.ru_utime + spent.ru_stime:.0f} s of a processor.\n")
    print("\n".join(table(results)) + "\n")
    failed = sum(len(failures) for _, failures in results.values())
    print(f"{sum(passed for passed, _ in results.values())} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
