"""Two buffers, each freed after its users: nothing to find."""
from graphs import Graph

g = Graph()
a, x = g.alloc()
filled = g.ones(x, a)
b, y = g.alloc()
more = g.ones(y, b)
both = g.scale_add(2.0, x, y, filled, more)
x_free = g.free(x, both)
out = g.scale_add(1.0, y, g.result, both)
g.free(y, out)
g.run(times=3)
print("sum", g.sum())
