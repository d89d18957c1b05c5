// The physical memory of graphs.

#include "fixture.hpp"

namespace {

/// A chain of allocations, each freed before the next, or all side by side.
ag::memory_graph allocations(int count, std::size_t bytes, bool in_a_chain) {
    ag::memory_graph g;
    std::vector<ag::node> last;
    for (int i = 0; i < count; ++i) {
        auto x = g.add_alloc<std::byte>(last, bytes);
        const auto set = g.add_memset(ag::after(x), x.span(), std::byte{1});
        const ag::node freed = g.add_free(ag::after(set), std::move(x));
        if (in_a_chain) {
            last = {freed};
        }
    }
    return g;
}

auto instantiated(ag::memory_graph&& g) { return std::move(g).instantiate(); }

}  // namespace

TEST_CASE("physical memory is taken at the first launch, kept, and given back by trim", "[M1][M3][M4][M5]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::graph_memory memory{ag::device{0}};
    instantiated(allocations(1, 1, true)).launch(stream);  // the first launch of a process finds out how large chunks are
    stream.synchronize();
    memory.trim();
    memory.reset_highs();
    REQUIRE(memory.used() == 0);
    CHECK(memory.used_high() == 0);

    auto chain = instantiated(allocations(4, 64 << 20, true));
    CHECK(memory.used() == 0);
    chain.launch(stream);
    stream.synchronize();
    const std::uint64_t one = memory.used();
    CHECK(one >= 64 << 20);
    CHECK(one < 128 << 20);  // each takes the place of the one before
    CHECK(memory.used_high() == one);
    CHECK(memory.reserved() >= one);
    CHECK(memory.reserved_high() >= memory.reserved());

    auto same_stream = instantiated(allocations(1, 64 << 20, true));
    same_stream.launch(stream);
    stream.synchronize();
    CHECK(memory.used() == one);

    auto wide = instantiated(allocations(3, 64 << 20, false));
    wide.launch(stream);
    stream.synchronize();
    CHECK(memory.used_high() >= 192 << 20);

    memory.trim();
    CHECK(memory.used() == 0);
    CHECK(memory.reserved() == 0);
    CHECK(memory.used_high() >= 192 << 20);
    memory.reset_highs();
    CHECK(memory.used_high() == 0);
    CHECK(memory.reserved_high() == 0);
    chain.launch(stream);
    stream.synchronize();
    CHECK(memory.used() == one);
    memory.trim();
}

TEST_CASE("memory of a live output is not trimmed", "[M5][X4]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::graph_memory memory{ag::device{0}};
    memory.trim();
    ag::memory_graph g;
    auto x = g.add_alloc<int>(1000);
    g.add_memset(ag::after(x), x.span(), 2);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    auto [result] = exec.launch(stream);
    stream.synchronize();
    memory.trim();
    CHECK(memory.used() > 0);
    CHECK(contents(result) == std::vector<int>(1000, 2));
    result.free();
    stream.synchronize();
    memory.trim();
    CHECK(memory.used() == 0);
}

TEST_CASE("only the high marks can be reset", "[M5]") {
    const ag::stream needs_the_driver;
    const ag::driver_error error = driver_error_of(
        [] { ag::driver::device_reset_graph_mem_attribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, {__FILE__, __LINE__}); });
    CHECK(error.call() == std::string("cuDeviceSetGraphMemAttribute"));
    CHECK(error.result() == CUDA_ERROR_INVALID_VALUE);
    CHECK_THAT(error.what(), ContainsSubstring("attribute = 0") && ContainsSubstring("memory.cpp:"));
}
