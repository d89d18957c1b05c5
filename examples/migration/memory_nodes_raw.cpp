// Squares and their negation in graphs with memory nodes, by the driver's own calls.

#include "migration.hpp"

namespace migration {
namespace {

CUDA_MEMCPY3D copy_of(const void* from, bool from_device, const void* to, bool to_device, std::size_t bytes) {
    CUDA_MEMCPY3D copy{};
    copy.srcMemoryType = from_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(from);
    copy.dstMemoryType = to_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
    copy.dstHost = const_cast<void*>(to);
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(to);
    copy.WidthInBytes = bytes;
    copy.Height = 1;
    copy.Depth = 1;
    return copy;
}

CUgraphNode add_kernel(CUgraph graph, CUgraphNode after, CUfunction function, int n, CUdeviceptr from, CUdeviceptr to) {
    void* values[] = {&n, &from, &to};
    CUDA_KERNEL_NODE_PARAMS parameters{};
    parameters.func = function;
    parameters.gridDimX = blocks_for(n);
    parameters.gridDimY = parameters.gridDimZ = 1;
    parameters.blockDimX = threads;
    parameters.blockDimY = parameters.blockDimZ = 1;
    parameters.kernelParams = values;
    CUgraphNode node = nullptr;
    must(cuGraphAddKernelNode(&node, graph, &after, 1, &parameters), "cuGraphAddKernelNode");
    return node;
}

CUgraphNode add_copy(CUgraph graph, CUcontext context, CUgraphNode after, const CUDA_MEMCPY3D& copy) {
    CUgraphNode node = nullptr;
    must(cuGraphAddMemcpyNode(&node, graph, &after, 1, &copy, context), "cuGraphAddMemcpyNode");
    return node;
}

struct made_graph {
    CUgraph graph;
    CUgraphExec exec;
};
void destroy(const made_graph& made) {
    must(cuGraphExecDestroy(made.exec), "cuGraphExecDestroy");
    must(cuGraphDestroy(made.graph), "cuGraphDestroy");
}

/// @param left  null: the negation is freed inside; else where its address goes, and somebody else frees it
made_graph make_graph(const kernels& use, const std::vector<float>& input, std::vector<float>& square,
                      std::vector<float>& negated, CUdeviceptr* left, bool* reused) {
    const int n = static_cast<int>(input.size());
    const std::size_t bytes = input.size() * sizeof(float);
    CUcontext context = nullptr;
    must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    CUgraph graph = nullptr;
    must(cuGraphCreate(&graph, 0), "cuGraphCreate");

    CUDA_MEM_ALLOC_NODE_PARAMS allocation{};
    allocation.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    allocation.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    allocation.poolProps.location.id = 0;
    allocation.bytesize = bytes;
    CUgraphNode alloc_input = nullptr;
    must(cuGraphAddMemAllocNode(&alloc_input, graph, nullptr, 0, &allocation), "cuGraphAddMemAllocNode");
    const CUdeviceptr d_input = allocation.dptr;
    CUgraphNode alloc_square = nullptr;
    must(cuGraphAddMemAllocNode(&alloc_square, graph, &alloc_input, 1, &allocation), "cuGraphAddMemAllocNode");
    const CUdeviceptr d_square = allocation.dptr;

    const CUgraphNode in =
        add_copy(graph, context, alloc_square, copy_of(input.data(), false, reinterpret_cast<void*>(d_input), true, bytes));
    const CUgraphNode squared = add_kernel(graph, in, use.square.function(), n, d_input, d_square);
    const CUgraphNode out_square =
        add_copy(graph, context, squared, copy_of(reinterpret_cast<void*>(d_square), true, square.data(), false, bytes));
    CUgraphNode free_input = nullptr;
    must(cuGraphAddMemFreeNode(&free_input, graph, &squared, 1, d_input), "cuGraphAddMemFreeNode");
    CUgraphNode alloc_negated = nullptr;
    must(cuGraphAddMemAllocNode(&alloc_negated, graph, &free_input, 1, &allocation), "cuGraphAddMemAllocNode");
    const CUdeviceptr d_negated = allocation.dptr;
    *reused = d_negated == d_input;

    const CUgraphNode negate = add_kernel(graph, alloc_negated, use.negate.function(), n, d_square, d_negated);
    const CUgraphNode users_of_square[] = {out_square, negate};
    CUgraphNode free_square = nullptr;
    must(cuGraphAddMemFreeNode(&free_square, graph, users_of_square, 2, d_square), "cuGraphAddMemFreeNode");
    const CUgraphNode out =
        add_copy(graph, context, negate, copy_of(reinterpret_cast<void*>(d_negated), true, negated.data(), false, bytes));
    if (left == nullptr) {
        CUgraphNode free_negated = nullptr;
        must(cuGraphAddMemFreeNode(&free_negated, graph, &out, 1, d_negated), "cuGraphAddMemFreeNode");
    } else {
        *left = d_negated;
    }
    CUgraphExec exec = nullptr;
    must(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate");
    return {graph, exec};
}

made_graph make_freeing_graph(CUdeviceptr address) {
    CUgraph graph = nullptr;
    must(cuGraphCreate(&graph, 0), "cuGraphCreate");
    CUgraphNode node = nullptr;
    must(cuGraphAddMemFreeNode(&node, graph, nullptr, 0, address), "cuGraphAddMemFreeNode");
    CUgraphExec exec = nullptr;
    must(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate");
    return {graph, exec};
}

}  // namespace

negated_squares memory_nodes_raw(const kernels& use, const std::vector<float>& input) {
    const std::vector<float> empty(input.size());
    negated_squares result{empty, empty, empty, empty, empty, false};
    CUstream stream = nullptr;
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");

    made_graph made = make_graph(use, input, result.square, result.freed_inside, nullptr, &result.address_reused);
    must(cuGraphLaunch(made.exec, stream), "cuGraphLaunch");
    must(cuGraphLaunch(made.exec, stream), "cuGraphLaunch");
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    destroy(made);

    CUdeviceptr left = 0;
    made = make_graph(use, input, result.square, result.freed_on_the_stream, &left, &result.address_reused);
    for (int i = 0; i < 2; ++i) {
        must(cuGraphLaunch(made.exec, stream), "cuGraphLaunch");
        must(cuMemFreeAsync(left, stream), "cuMemFreeAsync");
    }
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    destroy(made);

    made = make_graph(use, input, result.square, result.freed_by_another_graph, &left, &result.address_reused);
    const made_graph freeing = make_freeing_graph(left);
    for (int i = 0; i < 2; ++i) {
        must(cuGraphLaunch(made.exec, stream), "cuGraphLaunch");
        must(cuGraphLaunch(freeing.exec, stream), "cuGraphLaunch");
    }
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    destroy(freeing);
    destroy(made);

    must(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
    negate_squares_on(stream, use, input.data(), result.square.data(), result.captured.data(), static_cast<int>(input.size()));
    must(cuStreamEndCapture(stream, &made.graph), "cuStreamEndCapture");
    must(cuGraphInstantiateWithFlags(&made.exec, made.graph, 0), "cuGraphInstantiate");
    must(cuGraphLaunch(made.exec, stream), "cuGraphLaunch");
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    destroy(made);
    must(cuStreamDestroy(stream), "cuStreamDestroy");
    return result;
}

}  // namespace migration
