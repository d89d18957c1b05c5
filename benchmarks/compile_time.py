#!/usr/bin/env python3
"""What a proof costs at compile time: a program of 1,000 nodes and 250 allocations in a static_assert.

usage: compile_time.py [COMPILER...]    default: g++, clang++ and nvcc, as found

Prints CSV: compiler,header_s,one_layer_s,thousand_nodes_s,extra_s
Processor seconds, the least of 5 runs, with each compiler's default limits. `header` includes verify.hpp alone,
`one_layer` verifies a program of 6 nodes, `extra` is what a thousand nodes cost above that.
"""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 5
PROGRAM = """
#include <allograph/model/verify.hpp>
namespace ag = allograph;
constexpr auto layers = [](auto& g, int count) {
    const ag::kernel<void(const float*, float*)> step("step");
    auto x = g.template add_alloc<float>(1024, ag::named("x"));
    ag::node last = g.add_memset(ag::after(x), x.span(), 0.0f);
    for (int i = 0; i < count; ++i) {
        auto y = g.template add_alloc<float>(ag::after(last), 1024);
        const ag::node up = g.add_kernel(ag::after(last, y), step, ag::grid_for(1024), x.data(), y.data());
        const ag::node down = g.add_kernel(ag::after(up), step, ag::grid_for(1024), y.data(), x.data());
        last = g.add_free(ag::after(down), std::move(y));
    }
    const ag::node end = g.add_empty(ag::after(last));
    g.add_empty(ag::after(end));
    return ag::outputs(std::move(x));
};
"""
SOURCES = {
    "header": "#include <allograph/model/verify.hpp>\n",
    "one_layer": PROGRAM + "static_assert(ag::verify(layers, 1));\n",
    "thousand_nodes": PROGRAM + "static_assert(ag::verify(layers, 249));\n",
}


def command(compiler):
    if "nvcc" in compiler:
        return [compiler, "-std=c++20", "-x", "cu", "-arch=sm_90", "-cuda", "-o", os.devnull]
    return [compiler, "-std=c++20", "-fsyntax-only"]


def seconds(compiler, source):
    least = float("inf")
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        if subprocess.run([*command(compiler), "-I", str(ROOT / "include"), str(source)]).returncode != 0:
            sys.exit(f"compile_time: {compiler} refuses the program")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main():
    compilers = sys.argv[1:] or [name for name in ("g++", "clang++", "nvcc") if shutil.which(name)]
    print("compiler,header_s,one_layer_s,thousand_nodes_s,extra_s")
    with tempfile.TemporaryDirectory() as folder:
        for compiler in compilers:
            taken = []
            for name, text in SOURCES.items():
                source = pathlib.Path(folder, name + ".cpp")
                source.write_text(text)
                taken.append(seconds(compiler, source))
            print(",".join([compiler, *(f"{t:.2f}" for t in taken), f"{taken[2] - taken[1]:.2f}"]), flush=True)


if __name__ == "__main__":
    main()
