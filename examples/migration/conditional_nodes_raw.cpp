// Conditional nodes: if, if-else, while, do-while with a captured body, switch; by the driver's own calls.

#include "migration.hpp"

namespace migration {
namespace {

template <class... Values>
CUgraphNode add_kernel(CUgraph graph, CUgraphNode after, CUfunction function, Values... values) {
    void* pointers[] = {&values...};
    CUDA_KERNEL_NODE_PARAMS parameters{};
    parameters.func = function;
    parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = pointers;
    CUgraphNode node = nullptr;
    must(cuGraphAddKernelNode(&node, graph, &after, after != nullptr ? 1 : 0, &parameters), "cuGraphAddKernelNode");
    return node;
}

struct conditional {
    CUgraphNode node;
    CUgraph* bodies;
};
conditional add_conditional(CUgraph graph, CUcontext context, CUgraphNode after, CUgraphConditionalHandle decides,
                            CUgraphConditionalNodeType type, unsigned bodies) {
    CUgraphNodeParams parameters{};
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    parameters.conditional.handle = decides;
    parameters.conditional.type = type;
    parameters.conditional.size = bodies;
    parameters.conditional.ctx = context;
    CUgraphNode node = nullptr;
#if CUDA_VERSION >= 13000
    must(cuGraphAddNode(&node, graph, &after, nullptr, after != nullptr ? 1 : 0, &parameters), "cuGraphAddNode");
#else
    must(cuGraphAddNode(&node, graph, &after, after != nullptr ? 1 : 0, &parameters), "cuGraphAddNode");
#endif
    return {node, parameters.conditional.phGraph_out};
}

CUgraphExec instantiate(CUgraph graph) {
    CUgraphExec exec = nullptr;
    must(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate");
    must(cuGraphDestroy(graph), "cuGraphDestroy");
    return exec;
}

/// Launches with a value in the first cell, and gives what the second holds then.
int run(CUgraphExec exec, CUstream stream, CUdeviceptr cells, int value) {
    const int before[2] = {value, 0};
    int after[2] = {};
    must(cuMemcpyHtoDAsync_v2(cells, before, sizeof before, stream), "cuMemcpyHtoDAsync");
    must(cuGraphLaunch(exec, stream), "cuGraphLaunch");
    must(cuMemcpyDtoHAsync_v2(after, cells, sizeof after, stream), "cuMemcpyDtoHAsync");
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    return after[1];
}

}  // namespace

std::vector<int> conditional_nodes_raw(const kernels& use) {
    std::vector<int> seen;
    CUcontext context = nullptr;
    must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    CUstream stream = nullptr;
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    CUdeviceptr value = 0;
    must(cuMemAlloc_v2(&value, 2 * sizeof(int)), "cuMemAlloc");
    const CUdeviceptr answer = value + sizeof(int);

    {  // if
        CUgraph graph = nullptr;
        must(cuGraphCreate(&graph, 0), "cuGraphCreate");
        CUgraphConditionalHandle decides = 0;
        must(cuGraphConditionalHandleCreate(&decides, graph, context, 0, 0), "cuGraphConditionalHandleCreate");
        const CUgraphNode decide = add_kernel(graph, nullptr, use.decide_by_parity.function(), value, decides);
        const conditional when = add_conditional(graph, context, decide, decides, CU_GRAPH_COND_TYPE_IF, 1);
        add_kernel(when.bodies[0], nullptr, use.write_value.function(), 1, answer);
        CUgraphExec exec = instantiate(graph);
        seen.push_back(run(exec, stream, value, 0));
        seen.push_back(run(exec, stream, value, 1));
        must(cuGraphExecDestroy(exec), "cuGraphExecDestroy");
    }
    {  // if, else
        CUgraph graph = nullptr;
        must(cuGraphCreate(&graph, 0), "cuGraphCreate");
        CUgraphConditionalHandle decides = 0;
        must(cuGraphConditionalHandleCreate(&decides, graph, context, 0, 0), "cuGraphConditionalHandleCreate");
        const CUgraphNode decide = add_kernel(graph, nullptr, use.decide_by_parity.function(), value, decides);
        const conditional when = add_conditional(graph, context, decide, decides, CU_GRAPH_COND_TYPE_IF, 2);
        add_kernel(when.bodies[0], nullptr, use.write_value.function(), 1, answer);
        add_kernel(when.bodies[1], nullptr, use.write_value.function(), 2, answer);
        CUgraphExec exec = instantiate(graph);
        seen.push_back(run(exec, stream, value, 0));
        seen.push_back(run(exec, stream, value, 1));
        must(cuGraphExecDestroy(exec), "cuGraphExecDestroy");
    }
    {  // while: the value decides before the first round too
        CUgraph graph = nullptr;
        must(cuGraphCreate(&graph, 0), "cuGraphCreate");
        CUgraphConditionalHandle goes_on = 0;
        must(cuGraphConditionalHandleCreate(&goes_on, graph, context, 0, 0), "cuGraphConditionalHandleCreate");
        const CUgraphNode decide = add_kernel(graph, nullptr, use.decide_by_value.function(), value, goes_on);
        const conditional loop = add_conditional(graph, context, decide, goes_on, CU_GRAPH_COND_TYPE_WHILE, 1);
        add_kernel(loop.bodies[0], nullptr, use.count_down.function(), value, answer, goes_on);
        CUgraphExec exec = instantiate(graph);
        seen.push_back(run(exec, stream, value, 0));
        seen.push_back(run(exec, stream, value, 10));
        must(cuGraphExecDestroy(exec), "cuGraphExecDestroy");
    }
    {  // do, while: the value is 1 when a launch begins; the body is captured
        CUgraph graph = nullptr;
        must(cuGraphCreate(&graph, 0), "cuGraphCreate");
        CUgraphConditionalHandle goes_on = 0;
        must(cuGraphConditionalHandleCreate(&goes_on, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT),
             "cuGraphConditionalHandleCreate");
        const conditional loop = add_conditional(graph, context, nullptr, goes_on, CU_GRAPH_COND_TYPE_WHILE, 1);
        must(cuStreamBeginCaptureToGraph(stream, loop.bodies[0], nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
             "cuStreamBeginCaptureToGraph");
        count_down_on(stream, use, value, answer, goes_on);
        CUgraph same = nullptr;
        must(cuStreamEndCapture(stream, &same), "cuStreamEndCapture");
        CUgraphExec exec = instantiate(graph);
        seen.push_back(run(exec, stream, value, 10));
        must(cuGraphExecDestroy(exec), "cuGraphExecDestroy");
    }
    {  // switch
        CUgraph graph = nullptr;
        must(cuGraphCreate(&graph, 0), "cuGraphCreate");
        CUgraphConditionalHandle decides = 0;
        must(cuGraphConditionalHandleCreate(&decides, graph, context, 0, 0), "cuGraphConditionalHandleCreate");
        const CUgraphNode decide = add_kernel(graph, nullptr, use.decide_by_value.function(), value, decides);
        const conditional cases = add_conditional(graph, context, decide, decides, CU_GRAPH_COND_TYPE_SWITCH, 4);
        for (int i = 0; i < 4; ++i) {
            add_kernel(cases.bodies[i], nullptr, use.write_value.function(), 10 + i, answer);
        }
        CUgraphExec exec = instantiate(graph);
        for (int i = 0; i < 5; ++i) {
            seen.push_back(run(exec, stream, value, i));
        }
        must(cuGraphExecDestroy(exec), "cuGraphExecDestroy");
    }
    must(cuMemFree_v2(value), "cuMemFree");
    must(cuStreamDestroy(stream), "cuStreamDestroy");
    return seen;
}

}  // namespace migration
