// The same graph through the raw calls and through the library, each written as one would: alloc, memset, kernel and
// free in a chain. Run under callgrind over the null driver it counts what the library adds a node.
//
//     overhead_straight raw|unchecked|checked    prints the number of nodes

#include <cstdio>
#include <cstdlib>
#include <string>

#include <allograph/allograph.hpp>

namespace ag = allograph;

namespace {

constexpr std::size_t elements = 1024;
constexpr int rounds = 2500;
using function_type = ag::kernel<void(int, float, const float*, float*)>;

[[gnu::noinline]] void build_raw(CUgraph graph, CUcontext context, CUfunction function) {
    CUgraphNode last = nullptr;
    bool failed = false;
    for (int i = 0; i < rounds; ++i) {
        CUDA_MEM_ALLOC_NODE_PARAMS memory{};
        memory.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        memory.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        memory.bytesize = elements * sizeof(float);
        CUgraphNode nodes[2];
        failed |= cuGraphAddMemAllocNode(&nodes[0], graph, &last, last != nullptr ? 1 : 0, &memory) != CUDA_SUCCESS;
        CUDA_MEMSET_NODE_PARAMS set{};
        set.dst = memory.dptr;
        set.elementSize = 4;
        set.width = elements;
        set.height = 1;
        failed |= cuGraphAddMemsetNode(&nodes[1], graph, &nodes[0], 1, &set, context) != CUDA_SUCCESS;
        int n = elements;
        float a = 2.0f;
        void* arguments[] = {&n, &a, &memory.dptr, &memory.dptr};
        CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
        kernel.func = function;
        kernel.gridDimX = elements / 256;
        kernel.gridDimY = kernel.gridDimZ = 1;
        kernel.blockDimX = 256;
        kernel.blockDimY = kernel.blockDimZ = 1;
        kernel.kernelParams = arguments;
        CUgraphNode run;
        failed |= cuGraphAddKernelNode_v2(&run, graph, nodes, 2, &kernel) != CUDA_SUCCESS;
        failed |= cuGraphAddMemFreeNode(&last, graph, &run, 1, memory.dptr) != CUDA_SUCCESS;
    }
    if (failed) {
        std::exit(1);
    }
}

template <class Graph>
[[gnu::noinline]] void build_ours(Graph& g, const function_type& function) {
    ag::node last = g.add_empty();
    for (int i = 0; i < rounds; ++i) {
        auto x = g.template add_alloc<float>(ag::after(last), elements);
        auto set = g.add_memset(ag::after(x), x.span(), 0.0f);
        auto run = g.add_kernel(ag::after(x, set), function, ag::grid_for(elements), int{elements}, 2.0f, x.data(), x.data());
        last = g.add_free(ag::after(run), std::move(x));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string variant = argc == 2 ? argv[1] : "";
    ag::unchecked_memory_graph unchecked;
    ag::memory_graph checked;
    CUcontext context = nullptr;
    ag::driver::check(cuCtxGetCurrent(&context), "cuCtxGetCurrent", {});
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ag::driver::check(cuModuleLoadData(&module, ""), "cuModuleLoadData", {});
    ag::driver::check(cuModuleGetFunction(&function, module, "saxpy"), "cuModuleGetFunction", {});
    if (variant == "raw") {
        build_raw(unchecked.get(), context, function);
    } else if (variant == "unchecked") {
        build_ours(unchecked, function_type(function));
    } else if (variant == "checked") {
        build_ours(checked, function_type(function));
    } else if (variant != "none") {
        std::fprintf(stderr, "usage: overhead_straight none|raw|unchecked|checked\n");
        return 2;
    }
    std::printf("%d\n", 4 * rounds);
    return 0;
}
