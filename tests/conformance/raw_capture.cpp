// Group C, second part: stream capture.
#include "raw.hpp"

using namespace raw;

namespace {

constexpr CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;

std::vector<CUgraphNodeType> types_of(CUgraph which) {
    std::size_t count = 0;
    REQUIRE(cuGraphGetNodes(which, nullptr, &count) == ok);
    nodes list(count);
    REQUIRE(cuGraphGetNodes(which, list.data(), &count) == ok);
    std::vector<CUgraphNodeType> types(count);
    for (std::size_t index = 0; index < count; ++index)
        REQUIRE(cuGraphNodeGetType(list[index], &types[index]) == ok);
    return types;
}

}  // namespace

TEST_CASE("capture into a graph after an allocation node, and a captured free of it", "[raw][C11][C12]") {
    graph g;
    const added a = add_alloc(g, 4096);
    REQUIRE(cuStreamBeginCaptureToGraph(stream(), g, &a.node, nullptr, 1, mode) == ok);
    CHECK(cuMemsetD8Async(a.address, 1, 4096, stream()) == ok);
    CHECK(cuMemFreeAsync(a.address, stream()) == ok);
    CUgraph same = nullptr;
    CHECK(cuStreamEndCapture(stream(), &same) == ok);
    CHECK(same == g);
    CHECK(types_of(g).size() == 3);
    CHECK(add_free(g, a.address, {a.node}).result == invalid);
    executable e(g);
    REQUIRE(e.result == ok);
    CHECK(e.launch() == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("allocations and frees on a capturing stream become memory nodes", "[raw][C12]") {
    here();
    REQUIRE(cuStreamBeginCapture(stream(), mode) == ok);
    CUdeviceptr p = 0;
    CHECK(cuMemAllocAsync(&p, 4096, stream()) == ok);
    CHECK(cuMemsetD8Async(p, 1, 4096, stream()) == ok);
    CHECK(cuMemFreeAsync(p, stream()) == ok);
    CUgraph captured = nullptr;
    REQUIRE(cuStreamEndCapture(stream(), &captured) == ok);
    graph g(captured);
    CHECK(types_of(g) ==
          std::vector<CUgraphNodeType>{CU_GRAPH_NODE_TYPE_MEM_ALLOC, CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_MEM_FREE});
}

TEST_CASE("cuMemAlloc breaks a capture", "[raw][C13]") {
    graph g;
    REQUIRE(cuStreamBeginCaptureToGraph(stream(), g, nullptr, nullptr, 0, mode) == ok);
    CUdeviceptr p = 0;
    CHECK(cuMemAlloc(&p, 64) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CHECK(cuStreamIsCapturing(stream(), &status) == ok);
    CHECK(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    CUgraph same = nullptr;
    CHECK(cuStreamEndCapture(stream(), &same) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(cuStreamIsCapturing(stream(), &status) == ok);
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK(g.destroy() == invalid);  // it went with its capture
}

TEST_CASE("under a relaxed capture cuMemAlloc is allowed", "[raw][C13]") {
    graph g;
    REQUIRE(cuStreamBeginCaptureToGraph(stream(), g, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED) == ok);
    CUdeviceptr p = 0;
    CHECK(cuMemAlloc(&p, 64) == ok);
    CUgraph same = nullptr;
    CHECK(cuStreamEndCapture(stream(), &same) == ok);
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("capture into a graph after a node of another graph", "[raw][C19]") {
    graph g;
    graph other;
    const added a = add_alloc(other, 4096);
    CHECK(cuStreamBeginCaptureToGraph(stream(), g, &a.node, nullptr, 1, CU_STREAM_CAPTURE_MODE_RELAXED) == invalid);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    CHECK(cuStreamIsCapturing(stream(), &status) == ok);
    CHECK(status == CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_CASE("while a capture into it is open, a graph can be instantiated and added to", "[raw][C20][G1]") {
    graph g;
    REQUIRE(cuStreamBeginCaptureToGraph(stream(), g, nullptr, nullptr, 0, CU_STREAM_CAPTURE_MODE_RELAXED) == ok);
    CUdeviceptr p = 0;
    CHECK(cuMemAllocAsync(&p, 4096, stream()) == ok);
    CHECK(executable(g).result == ok);
    CHECK(add_empty(g).result == ok);
    CUgraph same = nullptr;
    CHECK(cuStreamEndCapture(stream(), &same) == ok);
    CUgraph clone = nullptr;
    CHECK(cuGraphClone(&clone, g) == unsupported);
}

TEST_CASE("work on a capturing stream becomes nodes, other streams join through events", "[raw][C11]") {
    CUstream second = nullptr;
    CUevent forked = nullptr;
    CUevent joined = nullptr;
    CUdeviceptr p = 0;
    here();
    REQUIRE(cuMemAlloc(&p, 4096) == ok);
    REQUIRE(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING) == ok);
    REQUIRE(cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING) == ok);
    REQUIRE(cuEventCreate(&joined, CU_EVENT_DISABLE_TIMING) == ok);
    std::vector<int> host(1024);
    REQUIRE(cuStreamBeginCapture(stream(), mode) == ok);
    CHECK(cuMemsetD32Async(p, 5, 1024, stream()) == ok);
    CHECK(cuEventRecord(forked, stream()) == ok);
    CHECK(cuStreamWaitEvent(second, forked, 0) == ok);
    CUdeviceptr tail = p + 2048;
    int value = 6;
    int count = 512;
    void* arguments[] = {&tail, &value, &count};
    CHECK(cuLaunchKernel(here().fill, 2, 1, 1, 256, 1, 1, 0, second, arguments, nullptr) == ok);
    CHECK(cuEventRecord(joined, second) == ok);
    CHECK(cuStreamWaitEvent(stream(), joined, 0) == ok);
    CHECK(cuMemcpyDtoHAsync(host.data(), p, 4096, stream()) == ok);
    CHECK(cuLaunchHostFunc(stream(), [](void* where) { *static_cast<int*>(where) += 100; }, host.data()) == ok);
    CUgraph captured = nullptr;
    REQUIRE(cuStreamEndCapture(stream(), &captured) == ok);
    graph g(captured);
    CHECK(types_of(g).size() == 4);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(host[0] == 105);
    CHECK(host[511] == 5);
    CHECK(host[512] == 6);
    CHECK(host[1023] == 6);
    CHECK(cuEventDestroy(forked) == ok);
    CHECK(cuEventDestroy(joined) == ok);
    CHECK(cuStreamDestroy(second) == ok);
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("a stream that did not join again", "[raw][C11]") {
    CUstream second = nullptr;
    CUevent forked = nullptr;
    CUdeviceptr p = 0;
    here();
    REQUIRE(cuMemAlloc(&p, 4096) == ok);
    REQUIRE(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING) == ok);
    REQUIRE(cuEventCreate(&forked, CU_EVENT_DISABLE_TIMING) == ok);
    REQUIRE(cuStreamBeginCapture(stream(), mode) == ok);
    CHECK(cuEventRecord(forked, stream()) == ok);
    CHECK(cuStreamWaitEvent(second, forked, 0) == ok);
    CHECK(cuMemsetD8Async(p, 1, 64, second) == ok);
    CUgraph captured = nullptr;
    CHECK(cuStreamEndCapture(stream(), &captured) == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    CHECK(captured == nullptr);
    CHECK(cuEventDestroy(forked) == ok);
    CHECK(cuStreamDestroy(second) == ok);
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("what a capture answers about itself", "[raw][C11]") {
    graph g;
    const added a = add_empty(g);
    REQUIRE(cuStreamBeginCaptureToGraph(stream(), g, &a.node, nullptr, 1, mode) == ok);
    CUstreamCaptureStatus status{};
    cuuint64_t id = 0;
    CUgraph target = nullptr;
    const CUgraphNode* list = nullptr;
    const CUgraphEdgeData* edges = nullptr;
    std::size_t count = 0;
    REQUIRE(cuStreamGetCaptureInfo_v3(stream(), &status, &id, &target, &list, &edges, &count) == ok);
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CHECK(target == g);
    REQUIRE(count == 1);
    CHECK(list[0] == a.node);
    const added b = add_empty(g, {a.node});
    CUgraphNode next = b.node;
    CHECK(cuStreamUpdateCaptureDependencies_v2(stream(), &next, nullptr, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES) == ok);
    REQUIRE(cuStreamGetCaptureInfo_v3(stream(), &status, &id, &target, &list, &edges, &count) == ok);
    REQUIRE(count == 1);
    CHECK(list[0] == b.node);
    CUgraph same = nullptr;
    CHECK(cuStreamEndCapture(stream(), &same) == ok);
    CHECK(cuStreamEndCapture(stream(), &same) == CUDA_ERROR_ILLEGAL_STATE);
}

TEST_CASE("waiting for a capturing stream breaks the capture", "[raw][C13]") {
    here();
    REQUIRE(cuStreamBeginCapture(stream(), mode) == ok);
    CHECK(cuStreamSynchronize(stream()) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CUgraph captured = nullptr;
    CHECK(cuStreamEndCapture(stream(), &captured) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}
