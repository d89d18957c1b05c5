// Group O: what the driver finds wrong with an order, and what it lets pass.
#include "raw.hpp"

using namespace raw;

namespace {
constexpr int count = 1 << 20;
constexpr std::size_t bytes = count * sizeof(int);
}  // namespace

TEST_CASE("a memset that is not ordered after the allocation passes", "[raw][O1]") {
    graph g;
    const added a = add_alloc(g, 4096);
    CHECK(add_memset(g, a.address, 4096).result == ok);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    CHECK(e.result == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("a kernel that is not ordered after the allocation passes", "[raw][O1]") {
    graph g;
    const added a = add_alloc(g, bytes);
    CHECK(add_fill(g, a.address, 1, count).result == ok);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    CHECK(e.result == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("a memset or a memcpy after the free is refused when added", "[raw][O2]") {
    graph g;
    std::vector<int> host(16);
    const added a = add_alloc(g, bytes);
    const added f = add_free(g, a.address, {a.node});
    CHECK(add_memset(g, a.address, 4096, {f.node}).result == invalid);
    CHECK(add_memcpy(g, to_device(a.address, host.data(), 64), {f.node}).result == invalid);
    CHECK(add_memcpy(g, to_host(host.data(), a.address, 64), {f.node}).result == invalid);
    executable e(g);
    CHECK(e.result == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("a memset after the free through another node is refused too", "[raw][O2]") {
    graph g;
    const added a = add_alloc(g, 4096);
    const added f = add_free(g, a.address, {a.node});
    const added between = add_empty(g, {f.node});
    CHECK(add_memset(g, a.address, 4096, {between.node}).result == invalid);
}

TEST_CASE("once the graph frees it, a memset is refused wherever it stands", "[raw][O2]") {
    graph g;
    const added a = add_alloc(g, 4096);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    CHECK(add_memset(g, a.address, 4096, {a.node}).result == invalid);
}

TEST_CASE("a kernel after the free passes", "[raw][O2]") {
    graph g;
    const added a = add_alloc(g, bytes);
    const added f = add_free(g, a.address, {a.node});
    CHECK(add_fill(g, a.address, 1, count, {f.node}).result == ok);
    executable e(g);
    CHECK(e.result == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("a free beside a user passes", "[raw][O3]") {
    graph g;
    const added a = add_alloc(g, bytes);
    REQUIRE(add_fill(g, a.address, 1, count, {a.node}).result == ok);
    REQUIRE(add_memset(g, a.address, 4096, {a.node}).result == ok);
    CHECK(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    CHECK(e.result == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("a free that is not ordered after its allocation passes", "[raw][O4]") {
    graph g;
    const added a = add_alloc(g, 4096);
    SECTION("a root") { CHECK(add_free(g, a.address).result == ok); }
    SECTION("after an unrelated node") {
        const added e = add_empty(g);
        CHECK(add_free(g, a.address, {e.node}).result == ok);
    }
    executable e(g);
    CHECK(e.result == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("past the end of the allocation is refused", "[raw][O5]") {
    graph g;
    const added a = add_alloc(g, 4096);
    CHECK(add_memset(g, a.address, 4096, {a.node}).result == ok);
    CHECK(add_memset(g, a.address, 8192, {a.node}).result == invalid);
    CHECK(add_memset(g, a.address, 64 * mebibyte, {a.node}).result == invalid);
}

TEST_CASE("a copy past the end of the allocation is refused", "[raw][O5]") {
    graph g;
    std::vector<char> host(8192);
    const added a = add_alloc(g, 4096);
    CHECK(add_memcpy(g, to_device(a.address, host.data(), 8192), {a.node}).result == invalid);
    CHECK(add_memcpy(g, to_host(host.data(), a.address, 8192), {a.node}).result == invalid);
    CHECK(add_memcpy(g, to_host(host.data(), a.address + 4000, 200), {a.node}).result == invalid);
}

TEST_CASE("unordered writers of one allocation pass", "[raw][O6]") {
    graph g;
    const added a = add_alloc(g, bytes);
    const added first = add_fill(g, a.address, 1, count, {a.node});
    const added second = add_fill(g, a.address, 2, count, {a.node});
    CHECK(add_free(g, a.address, {first.node, second.node}).result == ok);
    executable e(g);
    CHECK(e.result == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("nothing complains of a late user of memory that is another's by then", "[raw][X9][O3]") {
    graph g;
    const added a = add_alloc(g, bytes);
    const added late = add_fill(g, here().slow_fill, a.address, 111, count, {a.node});
    const added f = add_free(g, a.address, {a.node});
    const added b = add_alloc(g, bytes, {f.node});
    CHECK(b.address == a.address);
    const added own = add_fill(g, b.address, 222, count, {b.node});
    std::vector<int> host(count);
    const added back = add_memcpy(g, to_host(host.data(), b.address, bytes), {own.node, late.node});
    REQUIRE(back.result == ok);
    REQUIRE(add_free(g, b.address, {back.node}).result == ok);
    executable e(g);
    CHECK(e.result == ok);
    CHECK(e.launch() == ok);
    // How many elements are wrong is a matter of luck: a GPU showed 237,568 of them.
    for (const int each : host)
        REQUIRE((each == 222 || each == 111));
}

TEST_CASE("in order, the values are right", "[raw][O1][A12]") {
    graph g;
    std::vector<int> host(count);
    const added a = add_alloc(g, bytes);
    const added fill_a = add_fill(g, a.address, 40, count, {a.node});
    const added b = add_alloc(g, bytes, {fill_a.node});
    const added fill_b = add_fill(g, b.address, 2, count, {b.node});
    CUdeviceptr from = a.address;
    CUdeviceptr to = b.address;
    int length = count;
    void* arguments[] = {&from, &to, &length};
    CUDA_KERNEL_NODE_PARAMS params;
    std::memset(&params, 0, sizeof params);
    params.func = here().add;
    params.gridDimX = count / 256;
    params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
    params.blockDimX = 256;
    params.kernelParams = arguments;
    CUgraphNode sum = nullptr;
    REQUIRE(cuGraphAddKernelNode(&sum, g, &fill_b.node, 1, &params) == ok);
    const added back = add_memcpy(g, to_host(host.data(), b.address, bytes), {sum});
    REQUIRE(add_free(g, a.address, {sum}).result == ok);
    REQUIRE(add_free(g, b.address, {back.node}).result == ok);
    executable e(g);
    REQUIRE(e.result == ok);
    for (int round = 0; round < 2; ++round) {
        host.assign(count, 0);
        REQUIRE(e.launch() == ok);
        CHECK(host == std::vector<int>(count, 42));
    }
}
