"""F10: nothing frees the buffer, so the second launch is refused."""
from cuda.bindings import driver

from graphs import Graph, ok

g = Graph()
a, x = g.alloc()
filled = g.ones(x, a)
g.scale_add(1.0, x, g.result, filled)
executable = ok(g.instantiate())
for launch in (1, 2):
    print("launch", launch, driver.cuGraphLaunch(executable, g.stream)[0].name)
ok(driver.cuStreamSynchronize(g.stream))
print("sum", g.sum())
