"""A training step of a small network, captured by torch.cuda.graph and replayed."""
import torch

torch.manual_seed(7)
torch.use_deterministic_algorithms(True)
net = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(), torch.nn.Linear(512, 256), torch.nn.LayerNorm(256)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x = torch.randn(128, 256, device="cuda")
y = torch.randn(128, 256, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = torch.nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
optimizer.zero_grad(set_to_none=True)
with torch.cuda.graph(graph):
    loss = step()
for _ in range(5):
    graph.replay()
torch.cuda.synchronize()
print("allocator", torch.cuda.get_allocator_backend())
print("loss", loss.item().hex())
print("weights", sum(p.double().sum() for p in net.parameters()).item().hex())
