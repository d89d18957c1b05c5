"""A buffer that leaves its graph and is freed on a stream after each launch: right, and a note that says what it relies on."""
from cuda.bindings import driver

from graphs import Graph, ok

g = Graph()
a, x = g.alloc()
filled = g.ones(x, a)
g.scale_add(1.0, x, g.result, filled)
executable = ok(g.instantiate())
for launch in (1, 2):
    ok(driver.cuGraphLaunch(executable, g.stream))
    ok(driver.cuMemFreeAsync(x, g.stream))
ok(driver.cuStreamSynchronize(g.stream))
print("sum", g.sum())
