// Group M: physical memory. Every test starts from a trimmed device and leaves nothing alive.
#include "raw.hpp"

#include <set>

using namespace raw;

TEST_CASE("memory is taken at the first launch", "[raw][M1]") {
    fresh_memory();
    graph g;
    const added a = add_alloc(g, 64 * mebibyte);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    REQUIRE(e.result == ok);
    CHECK(used() == 0);
    CHECK(e.launch() == ok);
    CHECK(used() == 64 * mebibyte);
    CHECK(used_high() == 64 * mebibyte);
}

TEST_CASE("or at upload", "[raw][M1]") {
    fresh_memory();
    graph g;
    const added a = add_alloc(g, 64 * mebibyte);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    REQUIRE(cuGraphUpload(e, stream()) == ok);
    REQUIRE(cuStreamSynchronize(stream()) == ok);
    CHECK(used() == 64 * mebibyte);
}

TEST_CASE("memory is mapped in chunks", "[raw][M3]") {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{mebibyte}, std::size_t{2 * mebibyte + 1}}) {
        fresh_memory();
        graph g;
        const added a = add_alloc(g, bytes);
        REQUIRE(add_free(g, a.address, {a.node}).result == ok);
        executable e(g);
        REQUIRE(e.launch() == ok);
        CHECK(used_high() == chunk);
    }
    fresh_memory();
    graph g;
    const added a = add_alloc(g, 33 * mebibyte);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(used_high() == 2 * chunk);
}

TEST_CASE("what is used follows from the addresses", "[raw][M3]") {
    fresh_memory();
    graph g;
    std::set<std::uint64_t> chunks;
    const auto count = [&](const added& each, std::uint64_t bytes) {
        for (std::uint64_t index = each.address / chunk; index <= (each.address + bytes - 1) / chunk; ++index)
            chunks.insert(index);
    };
    CUgraphNode previous = nullptr;
    for (int step = 1; step <= 24; ++step) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(step * 37 % 101) * 700000 + 1;
        const added a = add_alloc(g, bytes, previous != nullptr && step % 3 != 0 ? nodes{previous} : nodes{});
        REQUIRE(a.result == ok);
        count(a, bytes);
        const added f = add_free(g, a.address, {a.node});
        REQUIRE(f.result == ok);
        previous = f.node;
    }
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(used_high() == chunks.size() * chunk);
}

TEST_CASE("in a chain the memory of one serves all, side by side each takes its own", "[raw][M3]") {
    constexpr std::size_t bytes = 64 * mebibyte;
    fresh_memory();
    {
        graph g;
        nodes previous;
        for (int step = 0; step < 8; ++step) {
            const added a = add_alloc(g, bytes, previous);
            const added m = add_memset(g, a.address, bytes, {a.node});
            previous = {add_free(g, a.address, {m.node}).node};
        }
        executable e(g);
        REQUIRE(e.launch() == ok);
        CHECK(used_high() == bytes);
    }
    fresh_memory();
    graph g;
    for (int step = 0; step < 8; ++step) {
        const added a = add_alloc(g, bytes);
        REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    }
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(used_high() == 8 * bytes);
}

TEST_CASE("split parts are not joined again: 96, then 48 and 48, then 96 MiB", "[raw][M3][A12]") {
    fresh_memory();
    graph g;
    const added a = add_alloc(g, 96 * mebibyte);
    const added f = add_free(g, a.address, {a.node});
    const added b = add_alloc(g, 48 * mebibyte, {f.node});
    const added c = add_alloc(g, 48 * mebibyte, {f.node});
    const added fb = add_free(g, b.address, {b.node});
    const added fc = add_free(g, c.address, {c.node});
    const added d = add_alloc(g, 96 * mebibyte, {fb.node, fc.node});
    REQUIRE(add_free(g, d.address, {d.node}).result == ok);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(used_high() == 192 * mebibyte);
}

TEST_CASE("graphs launched on one stream share, on two streams at once they do not", "[raw][M4]") {
    fresh_memory();
    graph first;
    graph second;
    for (graph* each : {&first, &second}) {
        const added a = add_alloc(*each, 64 * mebibyte);
        const added k = add_fill(*each, here().slow_fill, a.address, 1, 1 << 20, {a.node});
        REQUIRE(add_free(*each, a.address, {k.node}).result == ok);
    }
    executable e1(first);
    executable e2(second);
    SECTION("one stream") {
        CHECK(e1.launch() == ok);
        CHECK(e2.launch() == ok);
        CHECK(used_high() == 64 * mebibyte);
    }
    SECTION("two streams") {
        CUstream other = nullptr;
        REQUIRE(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING) == ok);
        CHECK(cuGraphLaunch(e1, stream()) == ok);
        CHECK(cuGraphLaunch(e2, other) == ok);
        CHECK(cuStreamSynchronize(stream()) == ok);
        CHECK(cuStreamSynchronize(other) == ok);
        CHECK(used_high() == 128 * mebibyte);
        CHECK(cuStreamDestroy(other) == ok);
    }
}

TEST_CASE("trim gives back what is not in use", "[raw][M5]") {
    fresh_memory();
    graph g;
    const added a = add_alloc(g, mebibyte);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    REQUIRE(e.launch() == ok);
    REQUIRE(e.destroy() == ok);
    REQUIRE(g.destroy() == ok);
    CHECK(used() == chunk);  // neither the free nor the end of both gives it back
    CHECK(cuDeviceGraphMemTrim(here().device[0]) == ok);
    CHECK(used() == 0);
    CHECK(memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) == 0);
    CHECK(used_high() == chunk);
    fresh_memory();
    CHECK(used_high() == 0);
}

TEST_CASE("trim leaves what lives", "[raw][M5]") {
    fresh_memory();
    graph g;
    const added a = add_alloc(g, mebibyte);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(cuDeviceGraphMemTrim(here().device[0]) == ok);
    CHECK(used() == chunk);
    CHECK(cuMemsetD8Async(a.address, 3, mebibyte, stream()) == ok);
    CHECK(cuStreamSynchronize(stream()) == ok);
    CHECK(cuMemFree(a.address) == ok);
    CHECK(cuDeviceGraphMemTrim(here().device[0]) == ok);
    CHECK(used() == 0);
}

TEST_CASE("only the high-water marks can be set, and only to 0", "[raw][M5]") {
    here();
    cuuint64_t value = 1;
    CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value) == invalid);
    CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &value) == invalid);
    value = ~cuuint64_t{0};
    CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value) == invalid);
    value = 0;
    CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &value) == invalid);
    CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &value) == invalid);
#ifndef __SANITIZE_ADDRESS__  // with it comes a check of enumerators
    const int number = 17;
    CUgraphMem_attribute unknown{};
    std::memcpy(&unknown, &number, sizeof unknown);
    CHECK(cuDeviceSetGraphMemAttribute(0, unknown, &value) == invalid);
    CHECK(cuDeviceGetGraphMemAttribute(0, unknown, &value) == invalid);
#endif
    CHECK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, nullptr) == invalid);
}

TEST_CASE("a device that is not there", "[raw][M5]") {
    here();
    cuuint64_t value = 0;
    for (const CUdevice device : {-1, 77, 2147483647}) {
        CHECK(cuDeviceGraphMemTrim(device) == CUDA_ERROR_INVALID_DEVICE);
        CHECK(cuDeviceGetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value) == CUDA_ERROR_INVALID_DEVICE);
        CHECK(cuDeviceSetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &value) == CUDA_ERROR_INVALID_DEVICE);
    }
}

TEST_CASE("a moved child takes its chunks and one more, which later nodes of the parent may take", "[raw][M6]") {
    struct measured {
        std::size_t child, parent;
        bool after;
        std::uint64_t used;
    };
    for (const measured& each :
         {measured{64, 64, true, 96}, measured{64, 64, false, 160}, measured{64, 128, true, 224}, measured{128, 64, true, 160},
          measured{64, 0, true, 96}, measured{1, 0, true, 64}, measured{33, 0, true, 96}, measured{256, 256, true, 288}}) {
        CAPTURE(each.child, each.parent, each.after);
        fresh_memory();
        graph parent;
        CUgraph child = nullptr;
        REQUIRE(cuGraphCreate(&child, 0) == ok);
        const added a = add_alloc(child, each.child * mebibyte);
        REQUIRE(add_free(child, a.address, {a.node}).result == ok);
        const added moved = move_child(parent, child);
        REQUIRE(moved.result == ok);
        if (each.parent != 0) {
            const added b = add_alloc(parent, each.parent * mebibyte, each.after ? nodes{moved.node} : nodes{});
            CHECK(b.address != a.address);
            REQUIRE(add_free(parent, b.address, {b.node}).result == ok);
        }
        executable e(parent);
        REQUIRE(e.launch() == ok);
        CHECK(used_high() == each.used * mebibyte);
    }
}

TEST_CASE("two moved children share where they are ordered, a parent's own memory is not a child's", "[raw][M6]") {
    const auto child_of_64 = [] {
        CUgraph made = nullptr;
        REQUIRE(cuGraphCreate(&made, 0) == ok);
        const added a = add_alloc(made, 64 * mebibyte);
        REQUIRE(add_free(made, a.address, {a.node}).result == ok);
        return made;
    };
    for (const bool ordered : {false, true}) {
        fresh_memory();
        graph parent;
        const added first = move_child(parent, child_of_64());
        REQUIRE(move_child(parent, child_of_64(), ordered ? nodes{first.node} : nodes{}).result == ok);
        executable e(parent);
        REQUIRE(e.launch() == ok);
        CHECK(used_high() == (ordered ? 96 : 192) * mebibyte);
    }
    fresh_memory();
    graph parent;
    const added b = add_alloc(parent, 64 * mebibyte);
    const added f = add_free(parent, b.address, {b.node});
    REQUIRE(move_child(parent, child_of_64(), {f.node}).result == ok);
    executable e(parent);
    REQUIRE(e.launch() == ok);
    CHECK(used_high() == 160 * mebibyte);
}

TEST_CASE("40 allocations of 100 GiB in a chain need 100 GiB", "[raw][M3]") {
    std::size_t total = 0;
    here();
    REQUIRE(cuDeviceTotalMem(&total, here().device[0]) == ok);
    constexpr std::size_t bytes = std::size_t{100} << 30;
    if (total < bytes + (std::size_t{8} << 30))
        SKIP("the device is too small");
    fresh_memory();
    {
        graph g;
        nodes previous;
        for (int step = 0; step < 40; ++step) {
            const added a = add_alloc(g, bytes, previous);
            REQUIRE(a.result == ok);
            previous = {add_free(g, a.address, {a.node}).node};
        }
        executable e(g);
        REQUIRE(e.launch() == ok);
        CHECK(used_high() == bytes);
    }
    CHECK(cuDeviceGraphMemTrim(here().device[0]) == ok);
    CHECK(used() == 0);
}

TEST_CASE("a launch that runs out of memory loses the device's memory for good", "[raw][M2][.oom]") {
    fresh_memory();
    std::size_t total = 0;
    REQUIRE(cuDeviceTotalMem(&total, here().device[0]) == ok);
    const std::size_t bytes = total / 4 * 3 / chunk * chunk;
    {
        graph g;
        for (int each = 0; each < 2; ++each) {
            const added a = add_alloc(g, bytes);
            REQUIRE(a.result == ok);
            REQUIRE(add_free(g, a.address, {a.node}).result == ok);
        }
        executable e(g);
        CHECK(e.result == ok);
        CHECK(e.launch() == out_of_memory);
    }
    CHECK(cuDeviceGraphMemTrim(here().device[0]) == ok);
    CHECK(used() == 0);
    CHECK(memory(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT) > bytes);
    graph g;
    const added a = add_alloc(g, mebibyte);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    REQUIRE(e.result == ok);
    CHECK(e.launch() == out_of_memory);
    CUdeviceptr p = 0;
    CHECK(cuMemAlloc(&p, std::size_t{1} << 30) == out_of_memory);
}
