#!/usr/bin/env python3
"""Runs each program of this folder bare and under `allograph-audit run`, and compares: its output and exit status must be
the same, and the audit must find what was planted in it and nothing else.

usage: run.py ALLOGRAPH_AUDIT [FOLDER_FOR_REPORTS [FOLDER_OF_BINARIES]]
Where a package or a binary is missing, its programs are skipped. The binaries are those of tests/tools/CMakeLists.txt, and
cudart_static and cudart_shared: cudart_capture.cu with either CUDA runtime.
"""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ASYNC = {"PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync"}
DETERMINISTIC = {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}
# name, program and arguments, the package that it needs, environment, graphs at least, findings, notes
PROGRAMS = [
    ("cuda-bindings, alloc to free", "clean_bindings.py", "cuda.bindings", {}, 1, [], []),
    ("cuda-bindings, an output freed on a stream", "output_freed.py", "cuda.bindings", {}, 1, [], ["F10"]),
    ("CuPy, malloc_async captured", "cupy_capture.py", "cupy", {}, 1, [], []),
    ("PyTorch, its own allocator", "torch_capture.py", "torch", DETERMINISTIC, 1, [], []),
    ("PyTorch, cudaMallocAsync", "torch_capture.py", "torch", {**DETERMINISTIC, **ASYNC}, 1, [], []),
    ("PyTorch, cudaMallocAsync, two streams", "torch_streams.py clean", "torch", ASYNC, 1, [], []),
    ("planted: PyTorch, a tensor deleted before another stream has read it", "torch_streams.py too_early", "torch", ASYNC, 1, ["O3"], []),
    ("planted: free too early", "free_too_early.py", "cuda.bindings", {}, 1, ["O3"], []),
    ("planted: use after free", "use_after_free.py", "cuda.bindings", {}, 1, ["O2"], []),
    ("planted: no fate", "no_fate.py", "cuda.bindings", {}, 1, ["F10"], []),
    ("planted: allocation in a conditional body", "conditional_body.py", "cuda.bindings", {}, 1, ["C8"], []),
] + [
    (f"{way}: {what}", f"{binary} {argument}", None, {}, 1, findings, [])
    for way, binary in (("libcudart.a, captured", "cudart_static"), ("libcudart.so, captured", "cudart_shared"))
    for what, argument, findings in (("clean", "clean", []), ("planted: free too early", "too_early", ["O3"]))
] + [
    (f"{way}: {what}", f"{binary} {argument}", None, {}, 1, findings, [])
    for way, binary in (("libcuda linked", "linked"), ("dlsym", "dlsym"), ("cuGetProcAddress", "proc_address"))
    for what, argument, findings in (("clean", "clean", []), ("planted: free too early", "too_early", ["O3"]),
                                     ("planted: no fate", "no_fate", ["F10"]),
                                     ("planted: allocation in a conditional body", "body_v2", ["C8"]))
]


def has(package):
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def without_numbers(text):
    """Warnings carry times and process numbers."""
    return re.sub(r"\d+", "0", text.strip())


def run(command, environment):
    start = time.monotonic()  # of the whole process: a figure of the order, not a benchmark
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, cwd=HERE)
    return done, time.monotonic() - start


def check(command, program, environment, reports, graphs, findings, notes):
    """@return what is wrong, and what was seen"""
    bare, bare_time = run(program, environment)
    under, under_time = run([command, "run", "--output", str(reports), "--", *program], environment)
    wrong = []
    if bare.stdout != under.stdout:
        wrong.append(f"the output differs: {bare.stdout!r} bare, {under.stdout!r} audited")
    if bare.returncode != under.returncode:
        wrong.append(f"the exit status differs: {bare.returncode} bare, {under.returncode} audited")
    if bare.returncode != 0:
        wrong.append(f"it failed by itself: {bare.stderr[-300:]}")
    own = "\n".join(line for line in under.stderr.splitlines() if not line.startswith("allograph-audit: "))
    if without_numbers(own) != without_numbers(bare.stderr):
        wrong.append(f"its standard error differs: {bare.stderr[-200:]!r} bare, {own[-200:]!r} audited")
    found, noted, nodes, memory_nodes = [], [], 0, 0
    audited = sorted(reports.glob("graph-*.json"))
    for path in audited:
        report = json.loads(path.read_text())
        nodes += len(report["nodes"])
        memory_nodes += sum(node["kind"] in ("alloc", "free") for node in report["nodes"])
        for finding in report["findings"]:
            (found if finding["severity"] == "error" else noted).append(finding["rule"])
    if len(audited) < graphs:
        wrong.append(f"{len(audited)} graphs were audited, not {graphs}")
    if sorted(found) != sorted(findings):
        wrong.append(f"found {found}, planted {findings}")
    if sorted(noted) != sorted(notes):
        wrong.append(f"noted {noted}, expected {notes}")
    if (reports / "errors.txt").exists():
        wrong.append((reports / "errors.txt").read_text())
    seen = f"{len(audited)} graphs, {nodes} nodes ({memory_nodes} of memory); findings {' '.join(found) or 'none'}; notes {' '.join(noted) or 'none'}"
    return wrong, f"{seen}; output {' '.join(bare.stdout.split())!r}; {bare_time:.1f} s bare, {under_time:.1f} s audited"


def main():
    command = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()).resolve()
    binaries = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else "binaries").resolve()
    passed = failed = 0
    for i, (name, program, package, environment, graphs, findings, notes) in enumerate(PROGRAMS):
        line = program.split()
        if package is None:
            line[0] = str(binaries / line[0])
        else:
            line.insert(0, sys.executable)
        if not (has(package) if package else os.access(line[0], os.X_OK)):
            print(f"skipped  {name}: no {package or line[0]} here", flush=True)
            continue
        wrong, seen = check(command, line, environment, folder / str(i), graphs, findings, notes)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print(f"{'FAILED ' if wrong else 'passed '}  {name}: {seen}", flush=True)
        for line in wrong:
            print(f"         {line}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
