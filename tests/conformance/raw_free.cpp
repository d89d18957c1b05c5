// Group F: memory is freed once, by whoever may.
#include "raw.hpp"

using namespace raw;

TEST_CASE("one free in the owning graph", "[raw][F1]") {
    graph g;
    const added a = add_alloc(g, 4096);
    const added f = add_free(g, a.address, {a.node});
    REQUIRE(f.result == ok);
    CHECK(add_free(g, a.address, {f.node}).result == invalid);
    CHECK(add_free(g, a.address, {a.node}).result == invalid);
}

TEST_CASE("only the address of an allocation node can be freed", "[raw][F2]") {
    graph g;
    const added a = add_alloc(g, 4096);
    CHECK(add_free(g, a.address + 16, {a.node}).result == invalid);
    CHECK(add_free(g, 0, {a.node}).result == invalid);
    CHECK(add_free(g, 0x1234, {a.node}).result == invalid);
    CUdeviceptr other = 0;
    REQUIRE(cuMemAlloc(&other, 4096) == ok);
    CHECK(add_free(g, other, {a.node}).result == invalid);
    CHECK(cuMemFree(other) == ok);
    REQUIRE(cuMemAllocAsync(&other, 4096, stream()) == ok);
    CHECK(add_free(g, other, {a.node}).result == invalid);
    CHECK(cuMemFreeAsync(other, stream()) == ok);
    int on_host = 0;
    CHECK(add_free(g, reinterpret_cast<CUdeviceptr>(&on_host), {a.node}).result == invalid);
    CHECK(cuStreamSynchronize(stream()) == ok);
}

TEST_CASE("freed in the owner, then a free node in another graph", "[raw][F3]") {
    graph g;
    graph other;
    const added a = add_alloc(g, 4096);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    CHECK(add_free(other, a.address).result == invalid);
}

TEST_CASE("freed in another graph, then in the owner, also when the other is gone", "[raw][F4]") {
    graph g;
    graph other;
    const added a = add_alloc(g, 4096);
    REQUIRE(add_free(other, a.address).result == ok);
    CHECK(add_free(g, a.address, {a.node}).result == invalid);
    CHECK(other.destroy() == ok);
    CHECK(add_free(g, a.address, {a.node}).result == invalid);
}

TEST_CASE("an allocation is known as long as its graph, its executable or a free node is there", "[raw][F2][F4][X5]") {
    const auto known = [](CUdeviceptr address) {
        graph other;
        const CUresult set = add_memset(other, address, 4096).result;
        const CUresult freed = add_free(other, address).result;
        CHECK(set == freed);
        return freed == ok;
    };
    graph g;
    const added a = add_alloc(g, mebibyte);
    graph last;
    SECTION("its graph goes") {
        CHECK(g.destroy() == ok);
        CHECK_FALSE(known(a.address));
    }
    SECTION("its graph goes, and its executable stays for a while") {
        executable e(g);
        CHECK(g.destroy() == ok);
        CHECK(known(a.address));
        CHECK(e.destroy() == ok);
        CHECK_FALSE(known(a.address));
    }
    SECTION("its graph goes, and a free node of another graph stays, then that graph's executable") {
        REQUIRE(add_free(last, a.address).result == ok);
        CHECK(g.destroy() == ok);
        CHECK(known(a.address));
        {
            const executable e(last);
            CHECK(last.destroy() == ok);
            CHECK(known(a.address));
        }
        CHECK_FALSE(known(a.address));
    }
    SECTION("its graph goes, and a node that uses it stays") {
        REQUIRE(add_memset(last, a.address, 4096).result == ok);
        CHECK(g.destroy() == ok);
        CHECK_FALSE(known(a.address));
    }
    SECTION("its graph, which frees it, goes, and its executable stays") {
        REQUIRE(add_free(g, a.address, {a.node}).result == ok);
        executable e(g);
        CHECK(g.destroy() == ok);
        CHECK_FALSE(known(a.address));
        CHECK(e.launch() == ok);
    }
    SECTION("its graph goes, and its executable is launched, before and after another graph's that frees it") {
        executable e(g);
        CHECK(g.destroy() == ok);
        REQUIRE(add_free(last, a.address).result == ok);
        executable frees(last);
        CHECK(frees.launch() == invalid);
        CHECK(e.launch() == ok);
        CHECK(frees.launch() == ok);
    }
}

TEST_CASE("freed in another graph, then in a third: the second launch of a free fails", "[raw][F5][X6]") {
    graph g;
    graph second;
    graph third;
    const added a = add_alloc(g, 4096);
    REQUIRE(add_free(second, a.address).result == ok);
    CHECK(add_free(third, a.address).result == ok);
    executable eg(g);
    executable e2(second);
    executable e3(third);
    REQUIRE(eg.result == ok);
    REQUIRE(e2.result == ok);
    REQUIRE(e3.result == ok);
    CHECK(e2.launch() == invalid);
    CHECK(eg.launch() == ok);
    CHECK(eg.launch() == invalid);
    CHECK(e2.launch() == ok);
    CHECK(e2.launch() == invalid);
    CHECK(eg.launch() == ok);
    CHECK(e3.launch() == ok);
}

TEST_CASE("what its graph frees cannot be freed by the program, before or after a launch", "[raw][F6][F7]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    REQUIRE(add_free(g, a.address, {a.node}).result == ok);
    executable e(g);
    CHECK(cuMemFree(a.address) == invalid);
    REQUIRE(e.launch() == ok);
    CHECK(cuMemFree(a.address) == invalid);
    CHECK(cuMemFreeAsync(a.address, stream()) == invalid);
}

TEST_CASE("memory that was never launched cannot be freed", "[raw][F7]") {
    graph g;
    const added a = add_alloc(g, mebibyte);
    CHECK(cuMemFree(a.address) == invalid);
    CHECK(cuMemFreeAsync(a.address, stream()) == invalid);
}

TEST_CASE("an output is freed once by the program", "[raw][F8]") {
    graph g;
    const added a = add_alloc(g, 4096);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(cuMemFree(a.address) == ok);
    CHECK(cuMemFree(a.address) == invalid);
    REQUIRE(e.launch() == ok);
    CHECK(cuMemFreeAsync(a.address, stream()) == ok);
    CHECK(cuMemFreeAsync(a.address, stream()) == invalid);
    CHECK(cuStreamSynchronize(stream()) == ok);
    graph other;
    CHECK(add_free(other, a.address).result == ok);
}

TEST_CASE("an allocation without a fate is silent until the relaunch", "[raw][F10]") {
    graph g;
    const added a = add_alloc(g, 4096);
    executable e(g);
    REQUIRE(e.result == ok);
    CHECK(e.launch() == ok);
    CHECK(e.launch() == invalid);
    CHECK(cuMemFree(a.address) == ok);
}

TEST_CASE("host and foreign pointers are not freed", "[raw][F2]") {
    here();
    int on_host = 0;
    CHECK(cuMemFree(reinterpret_cast<CUdeviceptr>(&on_host)) == invalid);
    CHECK(cuMemFreeAsync(reinterpret_cast<CUdeviceptr>(&on_host), stream()) == invalid);
    CUdeviceptr p = 0;
    REQUIRE(cuMemAlloc(&p, 4096) == ok);
    CHECK(cuMemFree(p + 16) == invalid);
    CHECK(cuMemFree(p) == ok);
    CHECK(cuMemFree(p) == invalid);
}

TEST_CASE("a free node for memory whose graph and executable are gone", "[raw][F2]") {
    CUdeviceptr address = 0;
    {
        graph g;
        address = add_alloc(g, 4096).address;
        executable e(g);
        REQUIRE(e.launch() == ok);
    }
    graph other;
    CHECK(add_free(other, address).result == ok);
    executable e(other);
    REQUIRE(e.result == ok);
    CHECK(e.launch() == ok);
    CHECK(cuMemFree(address) == invalid);
}
