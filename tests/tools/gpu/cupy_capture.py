"""CuPy code captured with stream-ordered allocation: its temporaries are memory nodes of the graph."""
import cupy

cupy.cuda.set_allocator(cupy.cuda.malloc_async)
x = cupy.arange(1 << 16, dtype=cupy.float32)
out = cupy.zeros_like(x)


def step():
    a = x * 2.0
    b = a + 1.0
    c = cupy.sqrt(b)
    out[...] = c + a


stream = cupy.cuda.Stream(non_blocking=True)
with stream:
    step()  # compiles what the capture may not
    stream.synchronize()
    out[...] = 0
    stream.begin_capture()
    step()
    graph = stream.end_capture()
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
print("sum", float(out.astype(cupy.float64).sum()).hex())
