"""A graph that looks like a model's layer, with one mistake: a free that does not wait for the last reader of its buffer. The
pictures in docs/audit.md are of its report:

    allograph-audit run --output FOLDER python3 tests/tools/example_graph.py

It needs cuda-bindings, and a GPU or the reference driver.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "gpu"))
from graphs import BYTES, Graph  # noqa: E402

g = Graph((b"normalize", b"project", b"attend", b"gelu", b"residual"))
MIB = 1 << 20
made = {}  # what is alive: name to address, the node that filled it, its readers
frees = []  # since the last allocation, which comes after them: it may have their memory


def buffer(name, kernel, mebibytes, *sources):
    """A new buffer that a kernel fills from others."""
    inputs = [made[s] for s in sources]
    alloc, address = g.alloc(*(i["filled"] for i in inputs), *frees, bytesize=max(BYTES, mebibytes * MIB))
    frees.clear()
    if not sources:
        filled = g.ones(address, alloc)
    for i in inputs:
        filled = g.scale_add(0.5, i["address"], address, alloc if i is inputs[0] else filled, i["filled"], name=kernel)
        i["readers"].append(filled)
    made[name] = {"address": address, "filled": filled, "readers": []}


def free(name, readers=None):
    it = made.pop(name)
    frees.append(g.free(it["address"], *(it["readers"] if readers is None else it["readers"][:readers])))


buffer("x", None, 8)
for layer in range(2):
    buffer("norm", b"normalize", 8, "x")
    for part in ("q", "k", "v"):
        buffer(part, b"project", 8, "norm")
    free("norm", 2 if layer == 0 else None)  # the mistake: the third reader is forgotten
    buffer("scores", b"attend", 24, "q", "k")
    free("q")
    free("k")
    buffer("mixed", b"attend", 8, "scores", "v")
    free("scores")
    free("v")
    buffer("sum", b"residual", 8, "x", "mixed")
    free("x")
    free("mixed")
    buffer("wide", b"gelu", 32, "sum")
    buffer("x", b"residual", 8, "sum", "wide")
    free("sum")
    free("wide")
last = g.scale_add(1.0, made["x"]["address"], g.result, made["x"]["filled"], name=b"residual")
made["x"]["readers"].append(last)
free("x")
g.run()
print("launched")  # what is in new memory is nobody's promise, so there is no result to show
