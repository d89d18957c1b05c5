#!/usr/bin/env python3
"""What building a graph costs above the raw calls, by shape, size and variant.

usage: overhead.py [--shapes A,B...] [--nodes N,M...] [--processes N] [--rounds N] [--count-only | --time-only]

Prints CSV: shape,nodes,variant,ns_per_node,instructions_per_node,ratio,ratio_low,ratio_high
A process builds all variants side by side, some rounds, and gives the median of its rounds. Where code and data lie in
memory differs from process to process, and moves a ratio by a few percent for as long as a process lives: so ratio is
the median of several processes (15 of 9 rounds for 10,000 nodes, 9 of 3 for 100,000; of random, whose nodes take the
driver tens of microseconds, 5 of 2, and 1 of 1), and lies between low and high with 95 % certainty. raw_again is raw
once more, for the noise of the machine.
Instructions are counted by callgrind over a driver that does nothing, so that the difference to raw is the library's
own work; the shapes interpret a program that was drawn up beforehand, `straight` is code as one would write it.
Without valgrind the column is empty.
"""

import argparse
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = pathlib.Path(os.environ.get("ALLOGRAPH_BENCHMARKS", ROOT / "build/gcc-release/benchmarks"))
SHAPES = ["chain", "wide", "layered", "long_lived", "random"]
VARIANTS = ["raw", "unchecked", "checked"]


def instructions(*command):
    """Instructions a node, of a program whose last argument is the variant."""
    return (counted(*command) - counted(*command[:-1], "none")) / 10_000


def counted(*command):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", str(BUILT / command[0]), *command[1:]],
            env={"LD_LIBRARY_PATH": str(BUILT / "null_driver"), "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"overhead: {run.stderr}")
        for line in pathlib.Path(folder, "out").read_text().splitlines():
            if line.startswith("totals:"):
                return int(line.split()[1])
    sys.exit("overhead: callgrind counted nothing")


def usual(shape, nodes):
    """Processes, and rounds of each."""
    if shape == "random":
        return (5, 2) if nodes <= 10_000 else (1, 1)
    return (15, 9) if nodes <= 10_000 else (9, 3)


def median_and_interval(values):
    """The order statistics between which the median of all values lies with 95 % certainty; the extremes where there are too few."""
    ordered = sorted(values)
    out = max(0, int((len(ordered) - 1.96 * math.sqrt(len(ordered))) / 2))
    return statistics.median(ordered), ordered[out], ordered[-1 - out]


def time(shape, nodes, processes, rounds):
    """Nodes that were built, and by variant ns a node and the ratio to raw, one of each a process."""
    found = {}
    for _ in range(processes):
        run = subprocess.run([str(BUILT / "overhead_shapes"), "time", shape, str(nodes), str(rounds)], capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"overhead: {run.stderr}")
        for _, built, variant, ns, ratio in (line.split(",") for line in run.stdout.splitlines()):
            values = found.setdefault(variant, ([], []))
            values[0].append(float(ns))
            values[1].append(float(ratio))
    return built, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=SHAPES)
    parser.add_argument("--nodes", type=lambda text: [int(n) for n in text.split(",")], default=[10_000, 100_000])
    parser.add_argument("--processes", type=int)
    parser.add_argument("--rounds", type=int)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--count-only", action="store_true")
    only.add_argument("--time-only", action="store_true")
    chosen = parser.parse_args()
    counts = {}
    if shutil.which("valgrind") and not chosen.time_only:
        counts = {(s, v): instructions("overhead_shapes", "count", s, "10000", v) for s in chosen.shapes for v in VARIANTS}
        counts |= {("straight", v): instructions("overhead_straight", v) for v in VARIANTS}
    print("shape,nodes,variant,ns_per_node,instructions_per_node,ratio,ratio_low,ratio_high")
    for (shape, variant), count in counts.items():
        if shape == "straight" or chosen.count_only:
            print(f"{shape},10000,{variant},,{count:.1f},,,", flush=True)
    if chosen.count_only:
        return
    for shape in chosen.shapes:
        for nodes in chosen.nodes:
            processes, rounds = usual(shape, nodes)
            built, found = time(shape, nodes, chosen.processes or processes, chosen.rounds or rounds)
            for variant, (ns, ratios) in found.items():
                count = counts.get((shape, variant))
                median, low, high = median_and_interval(ratios)
                print(f"{shape},{built},{variant},{statistics.median(ns):.1f},{'' if count is None else f'{count:.1f}'},"
                      f"{median:.4f},{low:.4f},{high:.4f}", flush=True)


if __name__ == "__main__":
    main()
