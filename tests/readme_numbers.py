#!/usr/bin/env python3
"""Compares the README's numbers, and the pictures, with the committed benchmark run, benchmarks/results/all.*.json.

usage: readme_numbers.py [--write]    --write puts the run's numbers, and its pictures, in place
"""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
sys.dont_write_bytecode = True

from _figures import as_text, figures_of, load  # noqa: E402
from _readme import rewritten  # noqa: E402
from plot import PICTURES, picture  # noqa: E402


def main():
    runs = list((ROOT / "benchmarks/results").glob("all.*.json"))
    if len(runs) != 1:
        sys.exit(f"readme_numbers: {len(runs)} files all.*.json in benchmarks/results, not one")
    result = load(runs[0])
    readme = ROOT / "README.md"
    text = readme.read_text()
    wanted = rewritten(text, result)
    if sys.argv[1:] == ["--write"]:
        readme.write_text(wanted)
        runs[0].with_suffix(".txt").write_text(as_text(result))
        sys.exit(subprocess.run([ROOT / "benchmarks/plot.py", runs[0]]).returncode)
    wrong = [f"the run says  {new}\nREADME says   {old}" for old, new in zip(text.splitlines(), wanted.splitlines()) if old != new]
    if text != wanted:
        wrong.append("README.md differs from the run; tests/readme_numbers.py --write puts its numbers in place")
    if runs[0].with_suffix(".txt").read_text() != as_text(result):
        wrong.append(f"{runs[0].with_suffix('.txt').name} is another run's")
    for benchmark in PICTURES:
        drawn, figures = ROOT / f"docs/benchmarks/{benchmark}.svg", figures_of(result, benchmark)
        if (drawn.read_text() if drawn.exists() else None) != (picture(benchmark, figures) if figures else None):
            wrong.append(f"{drawn.name} is another run's")
    wrong += [f"{f['benchmark']}, {f['case']}, {f['figure']}: {f['runs']} runs, not 7 at least" for f in figures_of(result) if f["runs"] < 7]
    print("\n".join(wrong) if wrong else f"{len(figures_of(result))} figures of the run, and the README's are among them")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
