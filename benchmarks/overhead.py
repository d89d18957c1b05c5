#!/usr/bin/env python3
"""What building a graph costs above the raw calls, by shape, size and variant.

usage: overhead.py [--shapes A,B...] [--nodes N,M...] [--rounds N] [--count-only | --time-only]

Prints CSV: shape,nodes,variant,ns_per_node,instructions_per_node,ratio,ratio_low,ratio_high
Times are medians of the rounds (101 for 10,000 nodes, 25 for 100,000; 9 and 1 for random, whose nodes take the driver
tens of microseconds), the variants side by side; ratio is the median of the rounds' ratios to raw, and lies
between low and high with 95 % certainty. raw_again is raw once more, for the noise of the machine.
Instructions are counted by callgrind over a driver that does nothing, so that the difference to raw is the library's
own work; the shapes interpret a program that was drawn up beforehand, `straight` is code as one would write it.
Without valgrind the column is empty.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = pathlib.Path(os.environ.get("ALLOGRAPH_BENCHMARKS", ROOT / "build/gcc-release/benchmarks"))
SHAPES = ["chain", "wide", "layered", "long_lived", "random"]
VARIANTS = ["raw", "unchecked", "checked"]


def instructions(*command):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=*build*::build(*", "--toggle-collect=*build_raw*",
             "--toggle-collect=*build_ours*", f"--callgrind-out-file={folder}/out", str(BUILT / command[0]), *command[1:]],
            env={"LD_LIBRARY_PATH": str(BUILT / "null_driver"), "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"overhead: {run.stderr}")
        for line in pathlib.Path(folder, "out").read_text().splitlines():
            if line.startswith("totals:"):
                return int(line.split()[1]) / int(run.stdout)
    sys.exit("overhead: callgrind counted nothing")


def usual_rounds(shape, nodes):
    few = nodes > 10_000
    return (1 if few else 9) if shape == "random" else (25 if few else 101)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=SHAPES)
    parser.add_argument("--nodes", type=lambda text: [int(n) for n in text.split(",")], default=[10_000, 100_000])
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
            rounds = chosen.rounds or usual_rounds(shape, nodes)
            run = subprocess.run([str(BUILT / "overhead_shapes"), "time", shape, str(nodes), str(rounds)], capture_output=True, text=True)
            if run.returncode != 0:
                sys.exit(f"overhead: {run.stderr}")
            for line in run.stdout.splitlines():
                shape_, built, variant, ns, *ratios = line.split(",")
                count = counts.get((shape, variant))
                print(",".join([shape_, built, variant, ns, "" if count is None else f"{count:.1f}", *ratios]), flush=True)


if __name__ == "__main__":
    main()
