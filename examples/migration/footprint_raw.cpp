// How graphs share addresses and physical memory, by the driver's own calls.

#include "migration.hpp"

namespace migration {
namespace {

constexpr int graph_count = 4;
constexpr long long busy_cycles = 100'000'000;

CUDA_MEM_ALLOC_NODE_PARAMS allocation_of(std::size_t bytes) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.poolProps.location.id = 0;
    parameters.bytesize = bytes;
    return parameters;
}

CUgraphExec instantiate(CUgraph graph) {
    CUgraphExec exec = nullptr;
    must(cuGraphInstantiateWithFlags(&exec, graph, 0), "cuGraphInstantiate");
    must(cuGraphDestroy(graph), "cuGraphDestroy");
    return exec;
}

std::uint64_t attribute(CUgraphMem_attribute which) {
    cuuint64_t bytes = 0;
    must(cuDeviceGetGraphMemAttribute(0, which, &bytes), "cuDeviceGetGraphMemAttribute");
    return bytes;
}
std::uint64_t reserved() { return attribute(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT); }

/// One allocation after the free of another. @return whether both have one address
bool reuses_addresses(std::size_t bytes, CUgraphExec& exec) {
    CUgraph graph = nullptr;
    must(cuGraphCreate(&graph, 0), "cuGraphCreate");
    CUDA_MEM_ALLOC_NODE_PARAMS allocation = allocation_of(bytes);
    CUgraphNode alloc_a = nullptr;
    must(cuGraphAddMemAllocNode(&alloc_a, graph, nullptr, 0, &allocation), "cuGraphAddMemAllocNode");
    const CUdeviceptr a = allocation.dptr;
    CUgraphNode free_a = nullptr;
    must(cuGraphAddMemFreeNode(&free_a, graph, &alloc_a, 1, a), "cuGraphAddMemFreeNode");
    CUgraphNode alloc_b = nullptr;
    must(cuGraphAddMemAllocNode(&alloc_b, graph, &free_a, 1, &allocation), "cuGraphAddMemAllocNode");
    const CUdeviceptr b = allocation.dptr;
    CUgraphNode free_b = nullptr;
    must(cuGraphAddMemFreeNode(&free_b, graph, &alloc_b, 1, b), "cuGraphAddMemFreeNode");
    exec = instantiate(graph);
    return a == b;
}

/// @param frees  false leaves the allocation to the caller. @return its address
CUdeviceptr make_graph(const kernels& use, std::size_t bytes, bool frees, CUgraphExec& exec) {
    CUgraph graph = nullptr;
    must(cuGraphCreate(&graph, 0), "cuGraphCreate");
    CUDA_MEM_ALLOC_NODE_PARAMS allocation = allocation_of(bytes);
    CUgraphNode alloc = nullptr;
    must(cuGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &allocation), "cuGraphAddMemAllocNode");
    CUdeviceptr address = allocation.dptr;
    if (frees) {
        long long cycles = busy_cycles;
        void* values[] = {&cycles, &address};
        CUDA_KERNEL_NODE_PARAMS parameters{};
        parameters.func = use.keep_busy.function();
        parameters.gridDimX = parameters.gridDimY = parameters.gridDimZ = 1;
        parameters.blockDimX = parameters.blockDimY = parameters.blockDimZ = 1;
        parameters.kernelParams = values;
        CUgraphNode busy = nullptr;
        must(cuGraphAddKernelNode(&busy, graph, &alloc, 1, &parameters), "cuGraphAddKernelNode");
        CUgraphNode free = nullptr;
        must(cuGraphAddMemFreeNode(&free, graph, &busy, 1, address), "cuGraphAddMemFreeNode");
    }
    exec = instantiate(graph);
    return address;
}

}  // namespace

std::vector<std::uint64_t> footprint_raw(const kernels& use, std::size_t bytes) {
    std::vector<std::uint64_t> seen;
    must(cuDeviceGraphMemTrim(0), "cuDeviceGraphMemTrim");
    CUstream streams[graph_count] = {};
    for (CUstream& each : streams) {
        must(cuStreamCreate(&each, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    }
    CUgraphExec execs[graph_count] = {};
    CUdeviceptr addresses[graph_count] = {};

    // Allocations of one graph, one after the other, share an address.
    seen.push_back(reuses_addresses(bytes, execs[0]) ? 1 : 0);
    must(cuGraphLaunch(execs[0], streams[0]), "cuGraphLaunch");
    must(cuStreamSynchronize(streams[0]), "cuStreamSynchronize");
    seen.push_back(reserved());
    must(cuGraphExecDestroy(execs[0]), "cuGraphExecDestroy");
    must(cuDeviceGraphMemTrim(0), "cuDeviceGraphMemTrim");

    // Graphs on one stream share physical memory, which is taken at the first launch.
    for (int i = 0; i < graph_count; ++i) {
        addresses[i] = make_graph(use, bytes, true, execs[i]);
    }
    seen.push_back(reserved());
    for (CUgraphExec each : execs) {
        must(cuGraphLaunch(each, streams[0]), "cuGraphLaunch");
        seen.push_back(reserved());
    }
    must(cuStreamSynchronize(streams[0]), "cuStreamSynchronize");
    must(cuDeviceGraphMemTrim(0), "cuDeviceGraphMemTrim");

    // Those that run at once do not.
    for (int i = 0; i < graph_count; ++i) {
        must(cuGraphLaunch(execs[i], streams[i]), "cuGraphLaunch");
        seen.push_back(reserved());
    }
    for (int i = 0; i < graph_count; ++i) {
        must(cuStreamSynchronize(streams[i]), "cuStreamSynchronize");
        must(cuGraphExecDestroy(execs[i]), "cuGraphExecDestroy");
    }
    must(cuDeviceGraphMemTrim(0), "cuDeviceGraphMemTrim");

    // What a graph does not free stays, and trimming waits for its free.
    for (int i = 0; i < graph_count; ++i) {
        addresses[i] = make_graph(use, bytes, false, execs[i]);
    }
    for (CUgraphExec each : execs) {
        must(cuGraphLaunch(each, streams[0]), "cuGraphLaunch");
        seen.push_back(reserved());
    }
    must(cuStreamSynchronize(streams[0]), "cuStreamSynchronize");
    must(cuDeviceGraphMemTrim(0), "cuDeviceGraphMemTrim");
    seen.push_back(reserved());
    for (CUdeviceptr each : addresses) {
        must(cuMemFreeAsync(each, streams[0]), "cuMemFreeAsync");
    }
    must(cuStreamSynchronize(streams[0]), "cuStreamSynchronize");
    seen.push_back(reserved());
    must(cuDeviceGraphMemTrim(0), "cuDeviceGraphMemTrim");
    seen.push_back(reserved());
    for (int i = 0; i < graph_count; ++i) {
        must(cuGraphExecDestroy(execs[i]), "cuGraphExecDestroy");
        must(cuStreamDestroy(streams[i]), "cuStreamDestroy");
    }
    return seen;
}

}  // namespace migration
