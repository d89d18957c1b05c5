"""How long instantiating a chain of 3,333 buffers takes, 9,999 nodes: to be run bare and audited."""
import time

from graphs import Graph, driver, ok

g = Graph()
last = []
for _ in range(3333):
    a, x = g.alloc(*last)
    last = [g.free(x, g.ones(x, a))]
start = time.monotonic()
executable = ok(g.instantiate())
print(f"instantiate: {1000 * (time.monotonic() - start):.1f} ms")
