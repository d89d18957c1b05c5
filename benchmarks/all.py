#!/usr/bin/env python3
"""Every benchmark, as one table: ratios first, absolute figures second, each with its spread.

usage: all.py [--part device|host] [--only NAME,...] [--runs N] [--traces DIR] [--quick] [--out FILE.json]
       all.py --merge FILE.json... [--out FILE.json]

Writes FILE.json and FILE.txt, build/benchmarks/all.json without --out. The device part needs a driver, and of a build
the benchmarks and `replay` alone; the host part needs compilers and valgrind. They may run on two machines, and be merged.

  --traces DIR     buffer-lifetime traces, id,lower,upper,size; without it one is made up
  --quick          no graphs of 100,000 nodes
  --binaries DIR   where the benchmarks are, build/gcc-release/benchmarks without it
  --replay FILE    where that example is
  --compiler NAME  what the binaries were built with
"""

import argparse
import datetime
import os
import pathlib
import shutil
import subprocess
import sys

import _measure
from _figures import as_text, load, save

ROOT = pathlib.Path(__file__).resolve().parent.parent


def built_with():
    if not shutil.which("g++"):
        return "compiler unknown"
    return "g++ " + subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout.strip() + " -O3"


def measure(part, settings, only, compiler):
    machine, driver = _measure.describe_device() if part == "device" else (_measure.processor(), "no driver")
    figures, skipped = [], {}
    for name, benchmark in _measure.PARTS[part].items():
        if only and name not in only:
            continue
        print(f"all: {name}", file=sys.stderr, flush=True)
        try:
            figures += benchmark(settings)
        except _measure.Skipped as why:
            skipped[name] = str(why)
    return {"part": part, "machine": machine, "driver": driver, "compiler": compiler,
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "figures": figures, "skipped": skipped}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=_measure.PARTS)
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--traces")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/benchmarks/all.json")
    parser.add_argument("--binaries", type=pathlib.Path, default=pathlib.Path(os.environ.get("ALLOGRAPH_BENCHMARKS", ROOT / "build/gcc-release/benchmarks")))
    parser.add_argument("--replay", type=pathlib.Path)
    parser.add_argument("--compiler", default=built_with())
    parser.add_argument("--merge", nargs="+")
    chosen = parser.parse_args()
    if chosen.merge:
        result = load(*chosen.merge)
    else:
        replay = chosen.replay or chosen.binaries.parent / "examples/replay"
        settings = _measure.Settings(chosen.binaries, replay, chosen.runs, chosen.traces, chosen.quick)
        result = {"parts": [measure(part, settings, chosen.only, chosen.compiler) for part in ([chosen.part] if chosen.part else _measure.PARTS)]}
    save(result, chosen.out)
    text = as_text(result)
    chosen.out.with_suffix(".txt").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
