// Group X: launch and lifetime.
#include "raw.hpp"

using namespace raw;

TEST_CASE("no relaunch while an output lives", "[raw][X1]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(e.launch() == invalid);
    CHECK(cuMemFree(a.address) == ok);
    CHECK(e.launch() == ok);
    CHECK(cuMemFree(a.address) == ok);
}

TEST_CASE("automatic frees make the relaunch legal, and leave the last memory", "[raw][X2][X3]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    executable e(g, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
    REQUIRE(e.result == ok);
    CHECK(e.launch() == ok);
    CHECK(e.launch() == ok);
    CHECK(e.launch() == ok);
    CHECK(cuMemFree(a.address) == ok);
    CHECK(e.launch() == ok);
    CHECK(e.destroy() == ok);
    CHECK(cuMemFree(a.address) == ok);
    CHECK(cuMemFree(a.address) == invalid);
}

TEST_CASE("destroying executable and graph frees nothing that lives", "[raw][X4]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(e.destroy() == ok);
    CHECK(cuMemsetD8Async(a.address, 1, mebibyte, stream()) == ok);
    CHECK(cuStreamSynchronize(stream()) == ok);
    CHECK(g.destroy() == ok);
    CHECK(read<char>(a.address, mebibyte) == std::vector<char>(mebibyte, 1));
    CHECK(cuMemFree(a.address) == ok);
    CHECK(cuMemFree(a.address) == invalid);
}

TEST_CASE("a graph may go before its executable", "[raw][X5]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    CHECK(g.destroy() == ok);
    CHECK(e.launch() == ok);
    CHECK(e.launch() == ok);
    CHECK(e.destroy() == ok);
}

TEST_CASE("a graph that frees is launched once, after the one that allocates", "[raw][X6]") {
    graph makes;
    graph frees;
    const added a = add_alloc(makes, 4096);
    REQUIRE(add_free(frees, a.address).result == ok);
    executable m(makes);
    executable f(frees);
    CHECK(f.launch() == invalid);
    CHECK(m.launch() == ok);
    CHECK(f.launch() == ok);
    CHECK(f.launch() == invalid);
    CHECK(m.launch() == ok);
    CHECK(f.launch() == ok);
}

TEST_CASE("a second executable while an allocation of the first lives", "[raw][X7]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    executable first(g);
    REQUIRE(first.launch() == ok);
    REQUIRE(first.destroy() == ok);
    executable second(g);
    REQUIRE(second.result == ok);
    CHECK(second.launch() == invalid);
    CHECK(cuMemFree(a.address) == ok);
    CHECK(second.launch() == ok);
    CHECK(cuMemFree(a.address) == ok);
}

TEST_CASE("a stream does not touch memory that is not there", "[raw][X8]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    CHECK(cuMemsetD8Async(a.address, 1, 4096, stream()) == invalid);  // never launched
    const added f = add_free(g, a.address, {a.node});
    REQUIRE(f.result == ok);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(cuMemsetD8Async(a.address, 1, 4096, stream()) == invalid);  // freed
    CHECK(cuDeviceGraphMemTrim(here().device[0]) == ok);
    CHECK(cuMemsetD8Async(a.address, 1, 4096, stream()) == invalid);
    CHECK(cuStreamSynchronize(stream()) == ok);
}

TEST_CASE("a stream copies what an executable left", "[raw][X8]") {
    graph g;
    const added a = add_alloc(g, 4096);
    REQUIRE(add_fill(g, a.address, 9, 1024, {a.node}).result == ok);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(read<int>(a.address, 1024) == std::vector<int>(1024, 9));
    std::vector<int> host(1024, 4);
    CHECK(cuMemcpyHtoD(a.address, host.data(), 4096) == ok);
    CHECK(read<int>(a.address, 1024) == host);
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    CHECK(cuMemGetAddressRange(&base, &bytes, a.address + 8) == ok);
    CHECK(base == a.address);
    CHECK(bytes == 4096);
    CHECK(cuMemFree(a.address) == ok);
}

TEST_CASE("upload while outputs live, and twice", "[raw][X12]") {
    graph g;
    const added a = add_alloc(g, 64 * mebibyte);
    executable e(g);
    CHECK(cuGraphUpload(e, stream()) == ok);
    CHECK(cuGraphUpload(e, stream()) == ok);
    CHECK(cuGraphLaunch(e, stream()) == ok);
    CHECK(cuGraphUpload(e, stream()) == ok);
    CHECK(cuGraphLaunch(e, stream()) == invalid);
    CHECK(cuStreamSynchronize(stream()) == ok);
    CHECK(cuMemFreeAsync(a.address, stream()) == ok);
    CHECK(cuDeviceGraphMemTrim(here().device[0]) == ok);
    CHECK(cuStreamSynchronize(stream()) == ok);
    CHECK(cuGraphLaunch(e, stream()) == ok);
    CHECK(cuMemFreeAsync(a.address, stream()) == ok);
    CHECK(cuStreamSynchronize(stream()) == ok);
}

TEST_CASE("an executable may go while its work runs and its output lives", "[raw][X13]") {
    graph g;
    const added a = add_alloc(g, 4 * mebibyte);
    REQUIRE(add_fill(g, here().slow_fill, a.address, 5, 1 << 20, {a.node}).result == ok);
    executable e(g);
    REQUIRE(e.result == ok);
    CHECK(cuGraphLaunch(e, stream()) == ok);
    CHECK(e.destroy() == ok);
    CHECK(cuStreamSynchronize(stream()) == ok);
    CHECK(read<int>(a.address, 16) == std::vector<int>(16, 5));
    CHECK(cuMemFree(a.address) == ok);
}

TEST_CASE("an output is freed on another stream", "[raw][X13]") {
    CUstream second = nullptr;
    graph g;
    REQUIRE(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING) == ok);
    const added a = add_alloc(g, 4 * mebibyte);
    REQUIRE(add_fill(g, a.address, 1, 1 << 20, {a.node}).result == ok);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(cuMemFreeAsync(a.address, second) == ok);
    CHECK(cuGraphLaunch(e, stream()) == ok);  // before that free is complete
    CHECK(cuStreamSynchronize(stream()) == ok);
    CHECK(cuStreamSynchronize(second) == ok);
    CHECK(cuMemFreeAsync(a.address, second) == ok);
    CHECK(cuStreamSynchronize(second) == ok);
    CHECK(cuStreamDestroy(second) == ok);
}

TEST_CASE("host nodes and events run in order", "[raw][X11]") {
    graph g;
    int value = 1;
    CUevent done = nullptr;
    REQUIRE(cuEventCreate(&done, CU_EVENT_DEFAULT) == ok);
    const CUDA_HOST_NODE_PARAMS doubles{[](void* where) { *static_cast<int*>(where) *= 2; }, &value};
    const CUDA_HOST_NODE_PARAMS adds{[](void* where) { *static_cast<int*>(where) += 5; }, &value};
    CUgraphNode first = nullptr;
    CUgraphNode second = nullptr;
    CUgraphNode third = nullptr;
    REQUIRE(cuGraphAddHostNode(&first, g, nullptr, 0, &adds) == ok);
    REQUIRE(cuGraphAddHostNode(&second, g, &first, 1, &doubles) == ok);
    REQUIRE(cuGraphAddEventRecordNode(&third, g, &second, 1, done) == ok);
    CUevent recorded = nullptr;
    CHECK(cuGraphEventRecordNodeGetEvent(third, &recorded) == ok);
    CHECK(recorded == done);
    executable e(g);
    REQUIRE(cuGraphLaunch(e, stream()) == ok);
    REQUIRE(cuEventSynchronize(done) == ok);
    CHECK(value == 12);
    CHECK(cuStreamSynchronize(stream()) == ok);
    CHECK(cuEventDestroy(done) == ok);
}

TEST_CASE("freeing nothing", "[raw][F8]") {
    here();
    CHECK(cuMemFreeAsync(0, stream()) == ok);
}
