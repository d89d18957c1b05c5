"""O2: a kernel that is ordered after the free reads the buffer."""
from graphs import Graph

g = Graph()
a, x = g.alloc()
filled = g.ones(x, a)
gone = g.free(x, filled)
g.scale_add(1.0, x, g.result, gone)
g.run()
print("launched")  # what the kernel read is nobody's promise
