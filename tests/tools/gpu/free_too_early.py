"""O3: the free waits for the memset alone, not for the kernel that reads the buffer."""
from graphs import Graph

g = Graph()
a, x = g.alloc()
filled = g.ones(x, a)
g.scale_add(1.0, x, g.result, filled)
g.free(x, filled)
g.run()
print("sum", g.sum())
