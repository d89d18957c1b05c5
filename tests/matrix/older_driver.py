#!/usr/bin/env python3
"""A program built with new headers starts on an older driver, when it uses only what that driver has.

The older driver is the reference driver, built with the headers of CUDA 12.3: it exports what those declare. The examples
are built with the headers of 13.0 and of the newest toolkit, optimised and not, linked to a library that has every
function that they name, and run on the older driver with every symbol bound when they start.
"""

import concurrent.futures
import os
import re
import subprocess
import sys

from toolkits import FIRST, NEWEST, ROOT, USUAL, fetch, version

WORK = ROOT / "build/matrix/older_driver"
COMPILER = ["g++-12", "-std=c++20", f"-I{ROOT / 'include'}", f"-I{ROOT / 'reference_driver/include'}"]
# The control: with this function of CUDA 12.8 a program must not start.
NEWER = '#include <cuda.h>\nint main() { CUdevice device; return cuInit(0) != 0 || cuStreamGetDevice(nullptr, &device) == CUDA_SUCCESS; }\n'


def call(*arguments):
    result = subprocess.run(arguments, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}\n{result.stdout}{result.stderr}\n0 passed, 1 failed")
    return result.stdout


def symbols(file, *options):
    return set(re.findall(r"\b(cu[A-Z]\w*)(?:@\S+)?$", call("nm", *options, file), re.M))


def build_driver(toolkit):
    def build(source):
        call(*COMPILER, "-fPIC", "-fvisibility=hidden", "-D__CUDA_API_VERSION_INTERNAL", "-D__CUDA_API_PUSH_VISIBILITY_DEFAULT",
             "-isystem", fetch(toolkit), "-c", source, "-o", WORK / f"{source.stem}.o")
        return WORK / f"{source.stem}.o"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(build, sorted((ROOT / "reference_driver/src").glob("*.cpp"))))
    call("g++-12", "-shared", "-Wl,-soname,libcuda.so.1", *objects, "-o", WORK / "libcuda.so.1", "-ldl")
    return symbols(WORK / "libcuda.so.1", "-D", "--defined-only")


def build_program(name, source, toolkit, level):
    program = WORK / f"{name}-{toolkit}{level}"
    call(*COMPILER, level, "-isystem", fetch(toolkit), "-c", source, "-o", f"{program}.o")
    named = symbols(f"{program}.o", "--undefined-only")
    stub = WORK / "stub.c"
    stub.write_text("".join(f"void {function}(void) {{}}\n" for function in sorted(named)))
    call("gcc-12", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", stub, "-o", WORK / "libstub.so")
    call("g++-12", f"{program}.o", WORK / "libstub.so", "-ldl", "-o", program)
    return program, named


def start(program):
    return subprocess.run([program], capture_output=True, text=True, env=dict(os.environ, LD_LIBRARY_PATH=str(WORK), LD_BIND_NOW="1"))


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    exported = build_driver(FIRST)
    print(f"the driver of CUDA {version(FIRST)}: {len(exported)} functions")
    passed, failed = 0, 0

    def expect(good, text):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        print(("passed: " if good else "FAILED: ") + text)

    for toolkit in (USUAL, NEWEST):
        for level in ("-O0", "-O2"):
            program, named = build_program("quickstart", ROOT / "examples/quickstart.cpp", toolkit, level)
            beyond = named - exported
            expect(not beyond, f"quickstart, CUDA {version(toolkit)}, {level}: names {len(named)} functions, of newer drivers {sorted(beyond) or 'none'}")
            result = start(program)
            expect(result.returncode == 0, f"it runs: {(result.stdout + result.stderr).strip()}")
    control = WORK / "newer.cpp"
    control.write_text(NEWER)
    program, named = build_program("newer", control, USUAL, "-O0")
    result = start(program)
    expect(result.returncode != 0 and "cuStreamGetDevice" in result.stderr, f"a program that names cuStreamGetDevice does not start: {result.stderr.strip()}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
