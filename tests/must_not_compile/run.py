#!/usr/bin/env python3
"""Runs the must-not-compile tests.

A case is a .cpp (or, for nvcc alone, .cu) file that holds one mistake under `#ifdef MISTAKE`. Its first comments say

    // rule: F1                    the rule that the case tests
    // expect: text                text that every compiler must show; may be repeated
    // expect(g++): text           the same for one compiler: g++, clang++ or nvcc
    // compilers: g++ clang++      optional: the compilers that the case is for; all when absent

A case passes with a compiler when the file compiles without MISTAKE, and fails with it showing every expected text.
All files without MISTAKE are compiled together, each in its own namespace; should that fail, each is compiled alone.

Files under consumed/ hold clang's own `expected-warning` comments and are checked with -Wconsumed -Xclang -verify.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def toolkit_include():
    candidates = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    nvcc = shutil.which("nvcc")
    if nvcc:
        candidates.insert(0, pathlib.Path(nvcc).resolve().parent.parent)
    for candidate in candidates:
        if candidate and (pathlib.Path(candidate) / "include/cuda.h").exists():
            return str(pathlib.Path(candidate) / "include")
    sys.exit("must_not_compile: no cuda.h found; put nvcc on PATH or set CUDA_PATH")


def kind(compiler):
    name = pathlib.Path(compiler).name
    return "nvcc" if "nvcc" in name else "clang++" if "clang" in name else "g++"


def command(compiler, standard_flags):
    """The cheapest command that runs the compiler's whole front end on host code."""
    if kind(compiler) == "nvcc":
        mode = ["-x", "cu", "-arch=sm_90", "-cuda", "-o", os.devnull]
    else:
        mode = ["-fsyntax-only", "-Wno-unused", "-isystem", toolkit_include()]
    return [compiler, *mode, "-std=c++20", "-I", str(ROOT / "include"), *standard_flags]


def precompiled(compiler, flags, folder):
    """Flags that bring the umbrella header in precompiled, which is four times faster; nvcc has no such thing."""
    if kind(compiler) == "nvcc":
        return []
    header = pathlib.Path(folder) / f"{kind(compiler)}.hpp"
    header.write_text("#include <allograph/allograph.hpp>\n")
    arguments = [argument for argument in command(compiler, flags) if argument != "-fsyntax-only"]
    code, _ = compile_file([*arguments, "-x", "c++-header", str(header), "-o", f"{header}.gch"])
    if code != 0:
        return []  # each case will show why
    return ["-include-pch", f"{header}.gch"] if kind(compiler) == "clang++" else ["-include", str(header)]


def compile_file(arguments):
    environment = dict(os.environ, LC_ALL="C")
    result = subprocess.run(arguments, capture_output=True, text=True, errors="replace", env=environment)
    return result.returncode, result.stdout + result.stderr


class Case:
    def __init__(self, path):
        self.path = path
        self.name = str(path.relative_to(HERE))
        self.text = path.read_text()
        header = dict(rule=[], expect=[])
        for key, compiler, value in re.findall(r"^// (rule|expect|compilers)(?:\((.+?)\))?: *(\S.*?) *$", self.text, re.M):
            header.setdefault(key + compiler, []).append(value)
        header["rule"] = re.findall(r"[A-Z]\d+", " ".join(header["rule"]))
        self.header = header
        self.compilers = " ".join(header.get("compilers", ["g++ clang++ nvcc"])).split()
        if path.suffix == ".cu":
            self.compilers = ["nvcc"]

    def expects(self, compiler):
        return self.header["expect"] + self.header.get("expect" + kind(compiler), [])

    def malformed(self):
        if not self.header["rule"]:
            return "has no `// rule:` line"
        if not re.search(r"^#if(def MISTAKE| defined\(MISTAKE\))", self.text, re.M):
            return "has no `#ifdef MISTAKE`"
        code = re.sub(r"//.*", "", self.text)
        for name in self.compilers:
            for text in self.expects(name):
                if text in code:
                    return f"expects '{text}', which its own code holds: a compiler that quotes the line shows it anyway"
        missing = [name for name in self.compilers if not self.expects(name)]
        return f"has no `// expect:` line for {', '.join(missing)}" if missing else None


def together(cases):
    """One translation unit: every include first, then each case in a namespace of its own."""
    include = re.compile(r"^[ \t]*#[ \t]*include.*$", re.M)
    lines = dict.fromkeys(line.strip() for case in cases for line in include.findall(case.text))
    for number, case in enumerate(cases):
        lines[f"namespace case_{number} {{\n#line 1 \"{case.path}\"\n{include.sub('', case.text)}\n}}"] = None
    return "\n".join(lines) + "\n"


def positive_controls(compiler, cases, flags, pool):
    """The output of each case that does not compile although it holds no mistake."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as unit:
        unit.write(together(cases))
        unit.flush()
        code, _ = compile_file([*command(compiler, flags), unit.name])
    if code == 0:
        return {}
    runs = {case: pool.submit(compile_file, [*command(compiler, flags), str(case.path)]) for case in cases}
    return {case: run.result()[1] for case, run in runs.items() if run.result()[0] != 0}


def run_compiler(compiler, cases, flags, pool):
    """The failures with one compiler, as (case, why, output)."""
    mistakes = {
        case: pool.submit(compile_file, [*command(compiler, flags), "-DMISTAKE", str(case.path)]) for case in cases
    }
    broken = positive_controls(compiler, cases, flags, pool)
    failures = [(case.name, "does not compile without its mistake", output) for case, output in broken.items()]
    for case, run in mistakes.items():
        code, output = run.result()
        missing = [text for text in case.expects(compiler) if text not in output]
        if case in broken:
            continue
        if code == 0:
            failures.append((case.name, "compiles with its mistake", output))
        elif missing:
            failures.append((case.name, "fails without saying: " + " | ".join(missing), output))
    return failures


def run_consumed(compiler, paths, flags, pool):
    verify = ["-Wconsumed", "-Xclang", "-verify"]
    runs = {path: pool.submit(compile_file, [*command(compiler, flags), *verify, str(path)]) for path in paths}
    return [
        (f"consumed/{path.name}", "clang's warnings differ from the expected ones", run.result()[1])
        for path, run in runs.items()
        if run.result()[0] != 0
    ]


def report(compiler, count, failures):
    for name, why, output in failures:
        print(f"FAILED {name} [{kind(compiler)}]: {why}")
        print("\n".join("    " + line for line in output.splitlines()[:40]))
    print(f"{compiler}: {count - len(failures)} passed, {len(failures)} failed", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filter", nargs="?", default="", help="only cases whose path or rule contains this")
    parser.add_argument("--compiler", action="append", help="may be repeated; default: g++ clang++ nvcc, as found")
    parser.add_argument("--flags", default="", help="more flags for every compilation")
    options = parser.parse_args()
    compilers = options.compiler or [name for name in ("g++", "clang++", "nvcc") if shutil.which(name)]

    paths = sorted(path for path in HERE.rglob("*") if path.suffix in (".cpp", ".cu"))
    cases = [Case(path) for path in paths]
    cases = [case for case in cases if options.filter in case.name or options.filter in case.header["rule"]]
    consumed = [case.path for case in cases if case.path.parent.name == "consumed"]
    cases = [case for case in cases if case.path not in consumed]
    malformed = [f"{case.name} {case.malformed()}" for case in cases if case.malformed()]
    if malformed:
        sys.exit("\n".join(malformed))
    if not cases and not consumed:
        sys.exit(f"must_not_compile: no case matches '{options.filter}'")

    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for compiler in compilers:
            chosen = [case for case in cases if kind(compiler) in case.compilers]
            flags = [*shlex.split(options.flags), *precompiled(compiler, shlex.split(options.flags), folder)]
            failures = run_compiler(compiler, chosen, flags, pool) if chosen else []
            extra = consumed if kind(compiler) == "clang++" else []
            failures += run_consumed(compiler, extra, flags, pool)
            report(compiler, len(chosen) + len(extra), failures)
            passed += len(chosen) + len(extra) - len(failures)
            failed += len(failures)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
