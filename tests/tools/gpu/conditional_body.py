"""C8: an allocation in the body of a conditional. The driver refuses the graph and does not say why."""
from cuda.bindings import driver

from graphs import Graph, ok

g = Graph()
handle = ok(driver.cuGraphConditionalHandleCreate(g.handle, g.context, 1, driver.CU_GRAPH_COND_ASSIGN_DEFAULT))
params = driver.CUgraphNodeParams()
params.type = driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_CONDITIONAL
params.conditional.handle = handle
params.conditional.type = driver.CUgraphConditionalNodeType.CU_GRAPH_COND_TYPE_IF
params.conditional.size = 1
params.conditional.ctx = g.context
ok(driver.cuGraphAddNode(g.handle, None, None, 0, params))
body = params.conditional.phGraph_out[0]
a, x = g.alloc(graph=body)
filled = g.ones(x, a, graph=body)
g.free(x, filled, graph=body)
print("instantiate", g.instantiate()[0].name)
