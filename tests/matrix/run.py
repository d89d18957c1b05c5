#!/usr/bin/env python3
"""Compiles the library with every compiler and every toolkit that it is for, and prints the table.

A cell of the table is a compiler with the headers of one toolkit. In each, every public header compiles alone, twice
included, and the static tests pass, without a warning. Some cells compile more: the reference driver, the examples and
the tests, so that the commands of the README hold for that toolkit too.

The headers of other toolkits come from PyPI, as wheels, into build/cuda-headers; nothing of them is installed.
Usage: run.py [--jobs N] [FILTER]...   a filter is a part of a cell's name, as 'clang++-14', '12.3' or 'nvcc'
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / "build/cuda-headers"
WORK = ROOT / "build/matrix"

# Wheels that hold a toolkit's headers: <cuda.h> and the runtime's, and crt/, which those include.
TOOLKITS = {
    "12.3": ["nvidia-cuda-runtime-cu12==12.3.*", "nvidia-cuda-nvcc-cu12==12.3.*"],
    "12.4": ["nvidia-cuda-runtime-cu12==12.4.*", "nvidia-cuda-nvcc-cu12==12.4.*"],
    "12.6": ["nvidia-cuda-runtime-cu12==12.6.*", "nvidia-cuda-nvcc-cu12==12.6.*"],
    "12.9": ["nvidia-cuda-runtime-cu12==12.9.*", "nvidia-cuda-nvcc-cu12==12.9.*"],
    "13.0": ["nvidia-cuda-runtime==13.0.*", "nvidia-cuda-crt==13.0.*"],
    "13.x": ["nvidia-cuda-runtime==13.*", "nvidia-cuda-crt==13.*"],  # the newest
}
FIRST, USUAL, NEWEST = "12.3", "13.0", "13.x"

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
SYNTAX = ["-fsyntax-only"]
OBJECT = ["-c", "-o", os.devnull]


@dataclasses.dataclass(frozen=True)
class Cell:
    compiler: str
    toolkit: str
    what: tuple = ("headers", "static")
    flags: tuple = ()
    mode: tuple = tuple(SYNTAX)
    label: str = ""  # the row, where the compiler alone does not name it

    @property
    def row(self):
        return self.label or self.compiler

    @property
    def name(self):
        return f"{self.row} {self.toolkit}"


def cells():
    everything = ("headers", "static", "programs")
    for toolkit in TOOLKITS:
        both_ends = toolkit in (FIRST, USUAL, NEWEST)
        yield Cell("g++-12", toolkit, everything)
        yield Cell("clang++-14", toolkit)
        if both_ends:
            yield Cell("clang++-16", toolkit)
            yield Cell("clang++-19", toolkit)
            yield Cell("clang++-19", toolkit, flags=("-stdlib=libc++",), label="clang++-19 libc++")
    for compiler in ("g++-12", "clang++-14"):
        yield Cell(compiler, USUAL, flags=("-fno-rtti",), label=f"{compiler} -fno-rtti")
    # Warnings that only the optimiser finds.
    for level in ("-O0", "-O3"):
        yield Cell("g++-12", USUAL, ("static", "umbrellas", "programs"), (level,), tuple(OBJECT), f"g++-12 {level}")
    yield Cell("nvcc", USUAL, ("headers", "static"), label="nvcc g++-12", flags=("-ccbin", "g++-12"))
    for host in ("clang++-14", "clang++-16", "clang++-19"):
        yield Cell("nvcc", USUAL, ("umbrellas", "static"), label=f"nvcc {host}", flags=("-ccbin", host))


# --- the headers of a toolkit ----------------------------------------------------------------------------------------


def pip():
    python = CACHE / "venv/bin/python"
    if not python.exists():
        venv.create(CACHE / "venv", with_pip=True)
    return [str(python), "-m", "pip", "--disable-pip-version-check", "-q"]


def fetch(toolkit):
    """The include folder of a toolkit, fetched on the first use."""
    folder = CACHE / toolkit
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([*pip(), "download", "--no-deps", "-d", folder / "wheels", *TOOLKITS[toolkit]], check=True)
        for wheel in (folder / "wheels").iterdir():
            with zipfile.ZipFile(wheel) as archive:
                for name in archive.namelist():
                    if inside := re.search(r"/include/(.+[^/])$", name):
                        target = folder / "include" / inside[1]
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(archive.read(name))
        shutil.rmtree(folder / "wheels")
        (folder / "done").touch()
    return folder / "include"


def version(include):
    number = int(re.search(r"#define CUDA_VERSION (\d+)", (include / "cuda.h").read_text())[1])
    return f"{number // 1000}.{number % 1000 // 10}"


# --- what a cell compiles --------------------------------------------------------------------------------------------


def sources(what):
    """(name, file, folders to include besides the library's)"""
    include = ROOT / "include"
    if what in ("headers", "umbrellas"):
        pattern = "**/*.hpp" if what == "headers" else "allograph/*.hpp"
        for header in sorted(include.glob(pattern)):
            name = header.relative_to(include)
            source = WORK / "alone" / f"{str(name).replace('/', '.')}.cpp"
            if not source.exists():
                source.parent.mkdir(parents=True, exist_ok=True)
                source.write_text(f"#include <{name}>\n#include <{name}>\n")
            yield str(name), source, ()
    elif what == "static":
        for source in sorted((ROOT / "tests/static").glob("**/*.cpp")):
            yield str(source.relative_to(ROOT)), source, ()
    else:
        for pattern in ("reference_driver/src/*.cpp", "examples/**/*.cpp", "benchmarks/*.cpp", "tests/unit/*.cpp", "tests/conformance/*.cpp"):
            for source in sorted(ROOT.glob(pattern)):
                yield str(source.relative_to(ROOT)), source, (ROOT / "reference_driver/include", ROOT / "reference_driver/src")


def command(cell, source, folders):
    search = [f"-I{folder}" for folder in (ROOT / "include", *folders)]
    if cell.compiler == "nvcc":
        host = ",".join(flag for flag in WARNINGS if flag != "-Wpedantic")  # nvcc's own output is not pedantic
        return [cell.compiler, *cell.flags, "-x", "cu", "-arch=sm_90", "-std=c++20", f"-Xcompiler={host}", *search, *OBJECT, source]
    if "reference_driver" in str(source):
        search += ["-D__CUDA_API_VERSION_INTERNAL", "-D__CUDA_API_PUSH_VISIBILITY_DEFAULT"]
    return [cell.compiler, *cell.mode, "-std=c++20", *WARNINGS, *cell.flags, *search, "-isystem", fetch(cell.toolkit), source]


def run(cell, pool):
    """(translation units that compiled, [(name, message) of those that did not], seconds)"""
    start = time.monotonic()

    def compile_one(unit):
        name, source, folders = unit
        result = subprocess.run(command(cell, source, folders), capture_output=True, text=True, errors="replace",
                                env=dict(os.environ, LC_ALL="C"))
        return name, result.returncode, result.stdout + result.stderr

    units = [unit for what in cell.what for unit in sources(what)]
    results = list(pool.map(compile_one, units))
    failures = [(name, message) for name, code, message in results if code != 0]
    return len(units) - len(failures), failures, time.monotonic() - start


def table(results):
    columns = list(TOOLKITS)
    rows = list(dict.fromkeys(cell.row for cell in results))
    heads = {toolkit: version(fetch(toolkit)) for toolkit in columns}
    width = max(map(len, rows)) + 2
    yield "".ljust(width) + "".join(heads[toolkit].rjust(14) for toolkit in columns)
    for row in rows:
        line = row.ljust(width)
        for toolkit in columns:
            found = [each for cell, each in results.items() if (cell.row, cell.toolkit) == (row, toolkit)]
            text = ""
            if found:
                passed, failures, seconds = found[0]
                text = f"{len(failures)} FAILED" if failures else f"{passed} in {seconds:.0f} s"
            line += text.rjust(14)
        yield line.rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()

    chosen = [cell for cell in cells() if all(each in cell.name for each in options.filters)]
    if not chosen:
        sys.exit("matrix: no cell is named so")
    missing = sorted({tool for cell in chosen for tool in (cell.compiler, *cell.flags) if re.match(r"(g|clang)\+\+|nvcc", tool) and not shutil.which(tool)})
    if missing:
        sys.exit(f"matrix: missing: {' '.join(missing)}")
    for toolkit in TOOLKITS:
        fetch(toolkit)
    results = {}
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for cell in chosen:
            results[cell] = passed, failures, seconds = run(cell, pool)
            for name, message in failures:
                print(f"--- {cell.name}: {name}\n{message[:2000]}")
            print(f"{cell.name}: {passed} compile, {len(failures)} do not, {seconds:.0f} s", flush=True)
    print(f"\ntranslation units that compile, every header alone among them; {time.monotonic() - start:.0f} s in all\n")
    print("\n".join(table(results)) + "\n")
    failed = sum(len(failures) for _, failures, _ in results.values())
    print(f"{sum(passed for passed, _, _ in results.values())} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
