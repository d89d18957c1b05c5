// Group P: two devices with peer access. Skipped where there is one.
#include "raw.hpp"

using namespace raw;

namespace {

bool two_devices() {
    if (here().devices < 2)
        return false;
    int possible = 0;
    REQUIRE(cuDeviceCanAccessPeer(&possible, here().device[0], here().device[1]) == ok);
    REQUIRE(cuCtxSetCurrent(here().context[0]) == ok);
    return possible == 1;
}

}  // namespace

TEST_CASE("memory of another device is reached with a descriptor only", "[raw][P1][P4]") {
    if (!two_devices())
        SKIP("one device");
    for (const bool described : {false, true}) {
        graph g;
        CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(mebibyte, here().device[1]);
        CUmemAccessDesc access;
        std::memset(&access, 0, sizeof access);
        access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        access.location.id = here().device[0];
        access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        if (described) {
            params.accessDescs = &access;
            params.accessDescCount = 1;
        }
        const added a = add_alloc(g, params);
        REQUIRE(a.result == ok);
        const added there = add_memset(g, a.address, 4096, {a.node}, 1);
        CHECK(there.result == ok);
        const added ours = add_memset(g, a.address, 4096, {there.node}, 0);
        CHECK(ours.result == (described ? ok : invalid));
        REQUIRE(add_free(g, a.address, {described ? ours.node : there.node}).result == ok);
        executable e(g);
        REQUIRE(e.result == ok);
        CHECK(e.launch() == ok);
        CHECK(e.launch() == ok);
        CUDA_MEM_ALLOC_NODE_PARAMS back = alloc_params(0);
        REQUIRE(cuGraphMemAllocNodeGetParams(a.node, &back) == ok);
        CHECK(back.accessDescCount == (described ? 1 : 0));
    }
}

TEST_CASE("allocations of two devices in one graph", "[raw][P2]") {
    if (!two_devices())
        SKIP("one device");
    fresh_memory(here().device[0]);
    fresh_memory(here().device[1]);
    graph g;
    const added a = add_alloc(g, alloc_params(mebibyte, here().device[0]));
    const added b = add_alloc(g, alloc_params(mebibyte, here().device[1]));
    const added on_a = add_memset(g, a.address, 64, {a.node}, 0);
    const added on_b = add_memset(g, b.address, 64, {b.node}, 1);
    REQUIRE(add_free(g, a.address, {on_a.node}).result == ok);
    REQUIRE(add_free(g, b.address, {on_b.node}).result == ok);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(e.launch() == ok);
    CHECK(used(here().device[0]) == chunk);
    CHECK(used(here().device[1]) == chunk);
}

TEST_CASE("launching on a stream of another device", "[raw][P3]") {
    if (!two_devices())
        SKIP("one device");
    graph g;
    const added a = add_alloc(g, mebibyte);
    const added m = add_memset(g, a.address, 64, {a.node}, 0);
    REQUIRE(add_free(g, a.address, {m.node}).result == ok);
    executable e(g);
    CHECK(e.launch(here().stream[1]) == ok);
    CHECK(e.launch(here().stream[1]) == ok);
}
