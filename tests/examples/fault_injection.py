#!/usr/bin/env python3
"""Lets one driver call of an example fail, at random, a thousand times over.

usage: fault_injection.py BUILD_FOLDER [--runs N] [--seed N] [--jobs N] [--only PROGRAM] [--list]

Runs the examples of a build on its reference driver. A first run of each counts its calls; each further one lets the n-th
call of a function fail, and must end in one of two ways: with 0, its own check passed, or with another status and a message
that names the program and the call. No signal, no sanitizer report, no hang, and nothing alive in the driver that is not
alive after a run without a failure, but for what a failed call itself would have freed. Prints a line for each run that
does not, and what repeats it.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TIMEOUT = 30
RESULTS = ["CUDA_ERROR_INVALID_VALUE", "CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_NOT_SUPPORTED", "CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_UNKNOWN"]

# What stays alive when the call that should have ended it fails, and nobody can do anything about it.
FREED_BY = {
    "cuGraphDestroy": {"graphs", "user_objects"},
    "cuGraphExecDestroy": {"executables", "graphs", "user_objects"},
    "cuStreamDestroy": {"streams"},
    "cuEventDestroy": {"events"},
    "cuModuleUnload": {"modules"},
    "cuMemFree": {"allocations"},
    "cuMemFreeAsync": {"allocations"},  # called where a failure before left memory behind
    "cuMemFreeHost": {"host_allocations"},
    "cuDevicePrimaryCtxRelease": {"context_references"},
    "cuUserObjectRelease": {"user_objects"},
}

# A tridiagonal matrix, symmetric and positive definite.
MATRIX = "%%MatrixMarket matrix coordinate real symmetric\n8 8 15\n" + "".join(f"{i} {i} 2\n" + (f"{i + 1} {i} -1\n" if i < 8 else "") for i in range(1, 9))
TRACE = "id,lower,upper,size\n" + "".join(f"{i},{i},{i + 2 + i % 3},{1 + 37 * i % 50}\n" for i in range(12))


def inputs(folder):
    (folder / "trace.csv").write_text(TRACE)
    (folder / "poisson.mtx").write_text(MATRIX)
    (folder / "in.ppm").write_bytes(b"P6\n# a picture\n20 14\n255\n" + bytes(7 * i % 256 for i in range(3 * 20 * 14)))


# Each program: its arguments, small enough for a thousand runs, and its environment.
PROGRAMS = {
    "quickstart": ([], {}),
    "replay": (["trace.csv"], {}),
    "replay --plan": (["trace.csv", "--plan", "--budget", "5"], {}),
    "image_pipeline": (["in.ppm", "--relaunch", "3"], {}),
    "producer_consumer": (["--relaunch", "5"], {}),
    "solver": (["poisson.mtx", "--relaunch", "2"], {}),
    "inference": (["--tokens", "8", "--width", "16", "--heads", "2"], {}),
    "two_gpus": (["--relaunch", "3"], {"ALLOGRAPH_REFERENCE_DEVICES": "2"}),
}

NEEDS_A_LIBRARY = {"inference"}  # left out of builds without cuBLAS

# A destructor that cannot free memory hands it on with a line of its own, and a later launch may fail for it.
ORPHANED = "were not freed ("

Run = collections.namedtuple("Run", "status output errors alive calls")


class Examples:
    def __init__(self, build, folder):
        self.build, self.folder = build.resolve(), folder
        inputs(folder)

    def command(self, program):
        return [str(self.build / "examples" / program.split()[0]), *PROGRAMS[program][0]]

    def run(self, program, failure=None):
        """@return what happened; the status is 'hang' for one that did not end"""
        with tempfile.TemporaryDirectory() as own:
            summary = pathlib.Path(own, "summary")
            environment = {
                "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                "LD_LIBRARY_PATH": str(self.build / "reference_driver"),
                "ALLOGRAPH_REFERENCE_SUMMARY": str(summary),
                **PROGRAMS[program][1],
            }
            if failure:
                environment["ALLOGRAPH_REFERENCE_FAIL"] = failure
            try:
                ended = subprocess.run(self.command(program), env=environment, cwd=self.folder, capture_output=True, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                return Run("hang", "", "", {}, {})
            lines = [line.split() for line in summary.read_text().splitlines()] if summary.exists() else []
        counted = lambda what: {name: int(count) for kind, name, count in lines if kind == what}
        return Run(ended.returncode, ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace"), counted("alive"), counted("calls"))


def wrong_with(run, program, function, alive):
    """@return why the run is not as it must be, or None"""
    if run.status == "hang":
        return f"no end after {TIMEOUT} s"
    if re.search(r"Sanitizer|runtime error:|terminate called", run.errors):
        return "a sanitizer report, or an exception that nobody caught"
    if run.status < 0:
        return f"ended by signal {-run.status}"
    if not run.alive:
        return "no summary: the process did not end by itself"
    for kind, count in run.alive.items():
        said = kind == "allocations" and ORPHANED in run.errors
        if count > alive[kind] and kind not in FREED_BY.get(function, ()) and not said:
            return f"{count - alive[kind]} {kind} leaked"
    if run.status != 0:
        name = program.split()[0]
        message = [line for line in run.errors.splitlines() if line.startswith(name + ": ")]
        if not message:
            return f"status {run.status} without a message"
        if function not in run.errors and ORPHANED not in run.errors:
            return f"a message that does not name {function}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", choices=PROGRAMS)
    parser.add_argument("--list", action="store_true")
    wanted = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        examples = Examples(wanted.build, pathlib.Path(folder))
        whole, places = {}, []
        for program in [wanted.only] if wanted.only else PROGRAMS:
            if program in NEEDS_A_LIBRARY and not os.path.exists(examples.command(program)[0]):
                continue
            whole[program] = run = examples.run(program)
            if run.status != 0 or re.search("Sanitizer", run.errors):
                sys.exit(f"fault_injection: {program} fails by itself, with {run.status}:\n{run.output}{run.errors}")
            places += [(program, function, count) for function, count in run.calls.items()]
            if wanted.list:
                print(program, run.alive, run.calls)
        draw = random.Random(wanted.seed)
        drawn = []
        for _ in range(wanted.runs):
            program, function, count = draw.choice(places)
            drawn.append((program, function, draw.randint(1, count), draw.choice(RESULTS)))

        def one(place):
            program, function, nth, result = place
            failure = f"{function}:{nth}:{result}"
            run = examples.run(program, failure)
            why = wrong_with(run, program, function, whole[program].alive)
            if why:
                print(f"FAILED: {why}\n  ALLOGRAPH_REFERENCE_FAIL={failure} {' '.join(examples.command(program))}\n{run.errors}", flush=True)
            return why, run.status

        with concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
            ended = list(pool.map(one, drawn))
    failed = sum(1 for why, _ in ended if why)
    right = sum(1 for why, status in ended if not why and status == 0)
    functions = len({function for _, function, _, _ in drawn})
    print(f"{len(drawn)} failures of {functions} functions in {len(whole)} programs: {right} right results, {len(drawn) - right - failed} clear errors, {failed} wrong")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
