#!/usr/bin/env python3
"""What including the library costs: `-fsyntax-only` time of the umbrella header against <cuda.h>, median of 9.

usage: include.py [COMPILER...]    default: g++, and clang++ where there is one; nvcc if asked
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 9


def command(compiler):
    if "nvcc" in compiler:
        return [compiler, "-std=c++20", "-x", "cu", "-arch=sm_90", "-cuda", "-o", os.devnull]
    toolkit = pathlib.Path(shutil.which("nvcc")).resolve().parent.parent / "include"
    return [compiler, "-std=c++20", "-fsyntax-only", "-isystem", str(toolkit)]


def seconds(compiler, source):
    start = time.perf_counter()
    if subprocess.run([*command(compiler), "-I", str(ROOT / "include"), source]).returncode != 0:
        sys.exit(f"include: {compiler} does not compile the header")
    return time.perf_counter() - start


def main():
    compilers = sys.argv[1:] or [name for name in ("g++", "clang++") if shutil.which(name)]
    headers = {"<cuda.h>": "#include <cuda.h>\n", "<allograph/allograph.hpp>": "#include <allograph/allograph.hpp>\n"}
    print(f"{'compiler':<12} {'<cuda.h>':>10} {'allograph':>10} {'more':>10}   milliseconds, median of {ROUNDS}")
    with tempfile.TemporaryDirectory() as folder:
        sources = []
        for number, text in enumerate(headers.values()):
            sources.append(f"{folder}/{number}.cpp")
            pathlib.Path(sources[-1]).write_text(text)
        for compiler in compilers:
            times = [[], []]
            for _ in range(ROUNDS):  # side by side, so that a busy machine slows both
                for number, source in enumerate(sources):
                    times[number].append(seconds(compiler, source))
            base, ours = (1000 * statistics.median(row) for row in times)
            print(f"{compiler:<12} {base:>10.0f} {ours:>10.0f} {ours - base:>10.0f}")


if __name__ == "__main__":
    main()
