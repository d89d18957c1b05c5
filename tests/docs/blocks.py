#!/usr/bin/env python3
"""Compiles every C++ block of README.md and docs/guide/*.md, in a few translation units.

A block with a `main` is a program and compiled alone; so is a block of CUDA, with nvcc where there is one. Any other stands
in a function of its own, behind the names of given.hpp. An HTML comment right above it may say more:

    <!-- code: given g x -->     also declares what GIVEN says of these words
    <!-- code: continues -->     goes on where the block before ended
    <!-- code: scope -->         stands at namespace scope
    <!-- file: NAME -->          is a file of the start chapter: start.py runs it, and here it is compiled as a program

With `--run FOLDER`, where the reference driver lies, the blocks that are no programs are run too, one after the other: where
one throws, it is the guide that breaks a rule.

A line with the comment `// does not compile: TEXT` is left out; with it the block must fail, at that line, showing TEXT.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GIVEN = {
    "g": "ag::memory_graph g;",
    "x": 'auto x = g.add_alloc<float>(n, ag::named("x"));',
    "y": 'auto y = g.add_alloc<float>(ag::after(x), n, ag::named("y"));',
    "k": "auto k = g.add_kernel(ag::after(y), saxpy, ag::grid_for(n), n, 2.0f, x.data(), y.data());",
    "plain": "ag::graph plain;",
    "exec": "auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));",
}


def toolkit_include():
    nvcc = shutil.which("nvcc")
    for candidate in [
        nvcc and pathlib.Path(nvcc).resolve().parent.parent,
        os.environ.get("CUDA_PATH"),
        os.environ.get("CUDA_HOME"),
        "/usr/local/cuda",
    ]:
        if candidate and (pathlib.Path(candidate) / "include/cuda.h").exists():
            return str(pathlib.Path(candidate) / "include")
    sys.exit("docs_blocks: no cuda.h found; put nvcc on PATH or set CUDA_PATH")


class Block:
    def __init__(self, path, line, marker, code, cuda=False):
        self.path, self.line, self.code = path, line, code
        words = marker.split()
        self.given = words[1:] if words[:1] == ["given"] else []
        self.continues = words[:1] == ["continues"]
        self.scope = words[:1] == ["scope"]
        self.cuda = cuda
        self.program = cuda or re.search(r"^int main\(", "\n".join(code), re.M) is not None
        self.earlier = []  # the lines of the blocks that it continues, given names included

    def mistakes(self):
        return [
            (i, m[1].strip())
            for i, text in enumerate(self.code)
            if (m := re.search(r"// does not compile: (.*)$", text))
        ]

    def lines(self, keep=None):
        """The code with line numbers of the Markdown; of the mistakes only the one that is kept."""
        out = list(self.earlier) + [f'#line {self.line} "{self.path.relative_to(ROOT)}"']
        for i, text in enumerate(self.code):
            left_out = "// does not compile:" in text and i != keep
            out.append("" if left_out or text.startswith(("#include", "#pragma once")) else text)
        return out

    def text(self, name, keep=None):
        body = "\n".join(self.lines(keep))
        given = "\n".join(GIVEN[word] for word in self.given)
        if self.scope:
            return f"namespace {name} {{\nusing namespace given;\n{given}\n{body}\n}}\n"
        return f"namespace {name} {{\nusing namespace given;\n[[maybe_unused]] static void block() {{\n{given}\n{body}\n}}\n}}\n"


def read_blocks(paths):
    blocks = []
    for path in paths:
        marker, code, start, previous, cuda = "", None, 0, None, False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if code is None:
                comment = re.match(r"\s*<!-- (?:code|file): (.*?) -->$", line)
                if line.startswith(("```cpp", "```cuda")):
                    code, start, cuda = [], number + 1, line == "```cuda"
                elif comment:
                    marker = comment[1]
                elif line.strip():
                    marker = ""
            elif line.startswith("```"):
                block = Block(path, start, marker, code, cuda)
                if block.continues:
                    if previous is None:
                        sys.exit(f"{path}:{start}: there is no block before this one")
                    block.given = previous.given
                    block.earlier = previous.lines()
                blocks.append(block)
                previous, code, marker = block, None, ""
            else:
                code.append(line)
    return blocks


def messages(output):
    """The compiler's output, one part an error with what leads to it and what follows."""
    parts, has_error = [[]], False
    for line in output.splitlines():
        error = re.search(r": (fatal )?error:", line) is not None
        context = re.match(r"In file included|.*: In |.*:\d+:\s+(in|required|  )", line) is not None and not re.search(
            r": (note|warning):", line
        )
        if has_error and (error or context):
            parts.append([])
            has_error = False
        has_error = has_error or error
        parts[-1].append(line)
    return ["\n".join(part) for part in parts]


def run(compiler, flags, text, blocks, driver):
    """How many blocks fail when they run."""
    calls = "".join(
        f'    failed += call("{b.path.relative_to(ROOT)}:{b.line}", &block_{i}::block);\n'
        for i, b in enumerate(blocks)
        if not b.scope
    )
    text += """
#line 1 "main"
static int call(const char* place, void (*block)()) {
    try {
        block();
        given::stream.synchronize();
        allograph_reference_clear_failures();
        return 0;
    } catch (const std::exception& error) {
        std::printf("%s: throws %s\\n", place, error.what());
        return 1;
    }
}
int main() {
    int failed = 0;
""" + calls + "    std::fflush(stdout);\n    std::_Exit(failed);\n}\n"
    stubs = pathlib.Path(toolkit_include()).parent / "lib64/stubs"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "blocks.cpp"
        source.write_text(text)
        program = pathlib.Path(folder) / "blocks"
        built = subprocess.run(
            [
                compiler,
                *[f for f in flags if f != "-fsyntax-only"],
                "-O0",
                str(source),
                "-o",
                str(program),
                f"-L{stubs}",
                "-lcuda",
                "-ldl",
            ],
            capture_output=True,
            text=True,
        )
        if built.returncode != 0:
            print(built.stderr[:4000])
            return 1
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(driver),
            "ALLOGRAPH_REFERENCE_DEVICES": "2",
            "ASAN_OPTIONS": "detect_leaks=0",
        }
        result = subprocess.run(
            [str(program)], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
        )
        if result.returncode != 0:
            print("\n".join(line for line in result.stdout.splitlines()) + result.stderr[-3000:])
        return result.returncode


def includes_of(blocks):
    return sorted({line for block in blocks for line in block.code if line.startswith("#include")})


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--compiler", default="g++")
    arguments.add_argument(
        "--run", type=pathlib.Path, metavar="FOLDER", help="also runs the blocks on the driver of this folder"
    )
    arguments.add_argument("--flags", default="", help="of the compiler, for what is run")
    arguments.add_argument("files", nargs="*", type=pathlib.Path, help="Markdown to look at; all without any")
    given = arguments.parse_args()
    paths = [p.resolve() for p in given.files] or [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
    blocks = read_blocks(paths)
    programs = [b for b in blocks if b.program]
    fragments = [b for b in blocks if not b.program]
    flags = [
        "-std=c++20",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unused",
        "-isystem",
        toolkit_include(),
        "-fno-diagnostics-show-caret",  # or it quotes the Markdown, where the expected text stands
        "-I",
        str(ROOT / "include"),
        "-I",
        str(ROOT / "reference_driver/include"),
        "-I",
        str(HERE),
        "-I",
        str(ROOT / "tests/docs"),
    ]
    failed = 0

    def compile(text, cuda=False):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / ("blocks.cu" if cuda else "blocks.cpp")
            source.write_text(text)
            command = [given.compiler, *flags]
            if cuda:
                command = ["nvcc", "-std=c++20", "-arch=sm_90", "-cuda", "-o", os.devnull, "-I", str(ROOT / "include")]
            result = subprocess.run([*command, str(source)], capture_output=True, text=True)
            return result.returncode, result.stderr

    head = "\n".join(['#include "given.hpp"', *includes_of(fragments)]) + "\n"
    status, output = compile(head + "".join(b.text(f"block_{i}") for i, b in enumerate(fragments)))
    if status != 0:
        print(output[:6000])
        failed += 1
    elif given.run:
        failed += run(
            given.compiler,
            flags + given.flags.split(),
            head + "".join(b.text(f"block_{i}") for i, b in enumerate(fragments)),
            fragments,
            given.run.resolve(),
        )
    for block in programs:
        if block.cuda and shutil.which("nvcc") is None:
            print(f"{block.path}:{block.line}: not compiled, there is no nvcc")
            continue
        status, output = compile("\n".join(block.code) + "\n", block.cuda)
        if status != 0:
            print(f"{block.path}:{block.line}:\n{output[:4000]}")
            failed += 1

    mistakes = [(b, i, text) for b in fragments for i, text in b.mistakes()]
    if mistakes:
        status, output = compile(head + "".join(b.text(f"mistake_{m}", keep=i) for m, (b, i, _) in enumerate(mistakes)))
        parts = messages(output)
        for block, i, text in mistakes:
            place = f"{block.path.relative_to(ROOT)}:{block.line + i}:"
            if status == 0 or not any(place in part and text in part for part in parts):
                print(f"{place} compiles, or does not show '{text}'")
                failed += 1
    ran = sum(not b.scope for b in fragments) if given.run else 0
    print(
        f"{len(blocks)} blocks ({len(programs)} programs, {ran} run) in {len(paths)} files, "
        f"{len(mistakes)} lines that must not compile, {failed} failures"
    )
    return 1 if failed or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
