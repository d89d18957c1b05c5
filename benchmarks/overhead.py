#!/usr/bin/env python3
"""What building a graph costs above the raw calls, by shape, size and variant.

usage: overhead.py [--rounds N] [--count-only | --time-only]

Prints CSV: shape,nodes,variant,ns_per_node,instructions_per_node,ratio,ns_low,ns_high
Times are medians of N rounds (9), the three variants side by side; ratio is the median of the rounds' ratios to raw.
Instructions are counted by callgrind over a driver that does nothing, so that the difference to raw is the library's
own work; the shapes interpret a program that was drawn up beforehand, `straight` is code as one would write it.
Without valgrind the column is empty.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / "build/gcc-release/benchmarks"
SHAPES = ["chain", "wide", "layered", "random", "long_lived"]
VARIANTS = ["raw", "unchecked", "checked"]


def instructions(*command):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=*build_once*", f"--callgrind-out-file={folder}/out",
             str(BUILT / command[0]), *command[1:]],
            env={"LD_LIBRARY_PATH": str(BUILT / "null_driver"), "PATH": "/usr/bin:/bin"},
            capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"overhead: {run.stderr}")
        for line in pathlib.Path(folder, "out").read_text().splitlines():
            if line.startswith("totals:"):
                return int(line.split()[1]) / int(run.stdout)
    sys.exit("overhead: callgrind counted nothing")


def main():
    arguments = sys.argv[1:]
    rounds = arguments[arguments.index("--rounds") + 1] if "--rounds" in arguments else "9"
    counts = {}
    if shutil.which("valgrind") and "--time-only" not in arguments:
        counts = {(s, v): instructions("overhead_shapes", "count", s, "10000", v) for s in SHAPES for v in VARIANTS}
        counts |= {("straight", v): instructions("overhead_straight", v) for v in VARIANTS}
    print("shape,nodes,variant,ns_per_node,instructions_per_node,ratio,ns_low,ns_high")
    for (shape, variant), count in counts.items():
        if shape == "straight" or "--count-only" in arguments:
            print(f"{shape},10000,{variant},,{count:.1f},,,", flush=True)
    if "--count-only" in arguments:
        return
    for shape in SHAPES:
        for nodes in (10_000, 100_000):
            run = subprocess.run([str(BUILT / "overhead_shapes"), "time", shape, str(nodes), rounds], capture_output=True, text=True)
            if run.returncode != 0:
                sys.exit(f"overhead: {run.stderr}")
            for line in run.stdout.splitlines():
                shape_, built, variant, ns, ratio, low, high = line.split(",")
                count = counts.get((shape, variant))
                print(f"{shape_},{built},{variant},{ns},{'' if count is None else f'{count:.1f}'},{ratio},{low},{high}", flush=True)


if __name__ == "__main__":
    main()
