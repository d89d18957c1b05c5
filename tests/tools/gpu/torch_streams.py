"""A tensor that a second stream reads, in a captured graph. usage: torch_streams.py clean | too_early

too_early, O3: it is deleted before the streams are joined, and without record_stream: its free waits for the first stream alone.
"""
import sys

import torch

a = torch.arange(1 << 16, dtype=torch.float32, device="cuda")
out = torch.zeros_like(a)
side = torch.cuda.Stream()
torch.add(a * 2, 1, out=out)  # loads the kernels
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = a * 2
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.add(x, 1, out=out)
    if sys.argv[1] == "clean":
        torch.cuda.current_stream().wait_stream(side)
    del x
    torch.cuda.current_stream().wait_stream(side)
out.zero_()
for _ in range(3):
    graph.replay()
torch.cuda.synchronize()
print("allocator", torch.cuda.get_allocator_backend(), "sum", out.double().sum().item().hex())
