// Faults while a stream is captured, and while graphs that somebody else built are read back.

#include <allograph/capture.hpp>
#include <allograph/graph/adopt.hpp>
#include <allograph/graph/detail/read_back.hpp>

#include <memory>

#include "faults.hpp"

namespace {

bool captures(CUstream stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    must(cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing");
    return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

/// Taking an allocation calls the driver where no model knows it.
template <class Graph, class Take>
void attempt_to_take(faulty& f, Take&& take) {
    if constexpr (std::same_as<Graph, ag::unchecked_memory_graph>) {
        f.attempt(take);
    } else {
        take();
    }
}

template <class Graph>
void capturing(faulty& f) {
    program<Graph> p;
    using scope_type = decltype(std::move(p.graph).capture(p.stream, ag::after(p.set)));
    std::unique_ptr<scope_type> scope;
    f.attempt([&] { scope.reset(new scope_type(std::move(p.graph).capture(p.stream, ag::after(p.set)))); },
              [&] { return p.state()() + (captures(p.stream) ? ", captures" : ""); });
    CHECK(p.graph.get() == nullptr);
    const CUdeviceptr x = p.x.data().address();
    CUdeviceptr kept = 0;
    CUdeviceptr freed = 0;
    must(cuMemsetD32Async(x, 0x40400000u, 100, p.stream), "cuMemsetD32Async");  // 3.0f
    must(cuMemAllocAsync(&kept, 400, p.stream), "cuMemAllocAsync");
    must(cuMemAllocAsync(&freed, 64, p.stream), "cuMemAllocAsync");
    must(cuMemcpyDtoDAsync_v2(kept, x, 400, p.stream), "cuMemcpyDtoDAsync_v2");
    must(cuMemFreeAsync(freed, p.stream), "cuMemFreeAsync");
    std::optional<ag::captured<std::same_as<Graph, ag::memory_graph> ? ag::checking::on : ag::checking::off>> work;
    f.attempt([&] {
        auto [graph, left] = std::move(*scope).end();
        p.graph = std::move(graph);
        work.emplace(std::move(left));
    });
    CHECK_FALSE(captures(p.stream));
    std::vector<typename Graph::template token_of<float>> taken;
    attempt_to_take<Graph>(f, [&] { taken.push_back(work->template take<float>(kept)); });
    std::vector<float> host(100);
    const auto out = p.graph.add_memcpy(work->after(), host, taken[0].span());
    p.graph.add_free(ag::after(out), std::move(taken[0]));
    CHECK(p.result() == std::vector<float>(100, 3.0f));
    CHECK(host == std::vector<float>(100, 3.0f));
}

/// A graph of the raw driver with a node of each kind that is read back in full.
struct raw_graph {
    CUgraph graph = nullptr;
    CUdeviceptr kept = 0;
    CUgraphNode host = nullptr;

    raw_graph() {
        CUcontext context = nullptr;
        must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
        must(cuGraphCreate(&graph, 0), "cuGraphCreate");
        CUgraphNode alloc = nullptr;
        CUgraphNode brief = nullptr;
        CUgraphNode node = nullptr;
        kept = allocate(alloc, 400);
        const CUdeviceptr freed = allocate(brief, 64);
        must(cuGraphAddMemFreeNode(&node, graph, &brief, 1, freed), "cuGraphAddMemFreeNode");
        CUDA_MEMSET_NODE_PARAMS set{};
        set.dst = kept;
        set.elementSize = 4;
        set.width = 100;
        set.height = 1;
        set.value = 0x40000000u;  // 2.0f
        CUgraphNode last = nullptr;
        must(cuGraphAddMemsetNode(&last, graph, &alloc, 1, &set, context), "cuGraphAddMemsetNode");
        int n = 100;
        float a = 1.0f;
        void* arguments[] = {&n, &a, &kept, &kept};
        CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
        kernel.func = test_kernels::scale_add().function();
        kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
        kernel.blockDimX = 128;
        kernel.kernelParams = arguments;
        must(cuGraphAddKernelNode_v2(&node, graph, &last, 1, &kernel), "cuGraphAddKernelNode_v2");
        last = node;
        kernel.func = nullptr;
        kernel.kern = test_kernels::scale_add_of_a_library().library_kernel();
        kernel.ctx = context;
        must(cuGraphAddKernelNode_v2(&node, graph, &last, 1, &kernel), "cuGraphAddKernelNode_v2");
        last = node;
        CUgraph child = nullptr;
        must(cuGraphCreate(&child, 0), "cuGraphCreate");
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = kept;
        copy.dstDevice = kept + 200;
        copy.WidthInBytes = 200;
        copy.Height = copy.Depth = 1;
        must(cuGraphAddMemcpyNode(&node, child, nullptr, 0, &copy, context), "cuGraphAddMemcpyNode");
        must(cuGraphAddChildGraphNode(&node, graph, &last, 1, child), "cuGraphAddChildGraphNode");
        must(cuGraphDestroy(child), "cuGraphDestroy");
        CUDA_HOST_NODE_PARAMS call{};
        call.fn = [](void*) {};
        must(cuGraphAddHostNode(&host, graph, &node, 1, &call), "cuGraphAddHostNode");
        CUstreamBatchMemOpParams write{};
        write.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        write.writeValue.address = kept;
        write.writeValue.value = 0x41000000u;  // 8.0f, which is there already
        CUDA_BATCH_MEM_OP_NODE_PARAMS batch{};
        batch.ctx = context;
        batch.count = 1;
        batch.paramArray = &write;
        must(cuGraphAddBatchMemOpNode(&node, graph, &host, 1, &batch), "cuGraphAddBatchMemOpNode");
    }
    raw_graph(const raw_graph&) = delete;
    raw_graph& operator=(const raw_graph&) = delete;
    ~raw_graph() {
        if (graph != nullptr) {
            cuGraphDestroy(graph);
        }
    }

    std::function<std::string()> state() {
        return [this] { return graph == nullptr ? std::string() : std::to_string(node_count(graph)); };
    }

private:
    CUdeviceptr allocate(CUgraphNode& node, std::size_t bytes) const {
        CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
        parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        parameters.bytesize = bytes;
        must(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters), "cuGraphAddMemAllocNode");
        return parameters.dptr;
    }
};

template <class Graph>
void adopting_a_graph(faulty& f) {
    const ag::stream stream;
    raw_graph raw;
    std::optional<decltype(Graph::adopt(raw.graph))> adopted;
    f.attempt(
        [&] {
            adopted.emplace(Graph::adopt(raw.graph));
            raw.graph = nullptr;
        },
        raw.state());
    std::vector<typename Graph::template token_of<float>> kept;
    attempt_to_take<Graph>(f, [&] { kept.push_back(adopted->template take<float>(raw.kept)); });
    auto exec = std::move(adopted->graph).instantiate(ag::outputs(std::move(kept)));
    auto results = exec.launch(stream);
    CHECK(contents(results[0]) == std::vector<float>(100, 8.0f));
}

/// The calls that only those make who look at a graph from outside.
void looking_at_a_graph(faulty& f) {
    const ag::stream needs_a_context;
    raw_graph raw;
    std::size_t edges = 0;
    f.attempt([&] { edges = ag::driver::graph_get_edges(raw.graph, {}, {}, {}, {}); }, raw.state());
    CHECK(edges == 7);
    CUDA_HOST_NODE_PARAMS call{};
    f.attempt([&] { call = ag::driver::graph_host_node_get_params(raw.host, {}); }, raw.state());
    CHECK(call.fn != nullptr);
}

const scenario all[] = {
    OF_BOTH(capturing),
    OF_BOTH(adopting_a_graph),
    OF_ONE(looking_at_a_graph),
};

}  // namespace

std::span<const scenario> scenarios_of_capture() { return all; }

TEST_CASE("a capture that cannot be asked is open still", "[faults][C13]") {
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when told to");
    }
    const nothing_leaks guard;
    program<ag::memory_graph> p;
    auto scope = std::move(p.graph).capture(p.stream, ag::after(p.set));
    allograph_reference_fail("cuStreamIsCapturing", 1, CUDA_ERROR_SYSTEM_NOT_READY);
    CHECK(driver_error_of([&] { scope.check(); }).call() == std::string("cuStreamIsCapturing"));
    scope.check();
    auto [graph, captured] = std::move(scope).end();
    p.graph = std::move(graph);
    p.check_result();
}

TEST_CASE("captured nodes that were never read leave no graph that looks whole", "[faults][C13]") {
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when told to");
    }
    const nothing_leaks guard;
    program<ag::memory_graph> p;
    auto scope = std::move(p.graph).capture(p.stream, ag::after(p.set));
    must(cuMemsetD32Async(p.x.data().address(), 1, 100, p.stream), "cuMemsetD32Async");
    allograph_reference_fail("cuGraphMemsetNodeGetParams", 1, CUDA_ERROR_SYSTEM_NOT_READY);
    const ag::driver_error error = driver_error_of([&] { (void)std::move(scope).end(); });
    CHECK(error.call() == std::string("cuGraphMemsetNodeGetParams"));
    CHECK_THAT(error.what(), ContainsSubstring("has ended, and its nodes were not read: end() may be called again"));
    ag::memory_graph broken = std::move(scope).broken_graph();
    CHECK(node_count(broken.get()) == 3);
    CHECK(misuse_of([&] { (void)std::move(broken).instantiate(ag::outputs(std::move(p.x))); }).rule() == std::string("C13"));
    CHECK(misuse_of([&] { (void)std::move(scope).end(); }).rule() == std::string("moved"));
}
