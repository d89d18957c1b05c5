// A launch that cannot get its memory is refused before the driver, which would lose the device's memory for good.

#include "fixture.hpp"

namespace {

/// Two allocations side by side, each of a part of the device's memory.
template <class Graph>
Graph side_by_side(double part) {
    Graph g;
    const auto bytes = static_cast<std::size_t>(static_cast<double>(ag::detail::info_of(ag::device{0}, {}).total_bytes) * part);
    auto a = g.template add_alloc<std::byte>(bytes, ag::named("a"));
    auto b = g.template add_alloc<std::byte>(bytes, ag::named("b"));
    g.add_free(ag::after(a), std::move(a));
    g.add_free(ag::after(b), std::move(b));
    return g;
}

void launch_a_small_graph() {
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(1024);
    auto set = g.add_memset(ag::after(x), x.span(), 7);
    auto exec = [&] {
        (void)set;
        return std::move(g).instantiate(ag::outputs(std::move(x)));
    }();
    auto [result] = exec.launch(stream);
    std::vector<int> host(1024);
    result.copy_to(host);
    stream.synchronize();
    CHECK(host == std::vector<int>(1024, 7));
}

}  // namespace

TEST_CASE("a launch that does not fit is refused with both numbers, and the next graph launches", "[M2][M3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    auto exec = side_by_side<ag::memory_graph>(0.7).instantiate();
    const std::uint64_t needed = exec.footprint().bytes();
    CHECK(needed > ag::detail::info_of(ag::device{0}, {}).total_bytes);
    const auto refused = [&](auto&& action) {
        try {
            action();
            FAIL("nothing was refused");
        } catch (const ag::out_of_memory& error) {
            CHECK(error.needed() == needed);
            CHECK(error.available() < needed);
            CHECK(error.which() == ag::device{0});
            CHECK_THAT(error.what(), ContainsSubstring("[M2]") && ContainsSubstring(std::to_string(error.needed())) &&
                                         ContainsSubstring(std::to_string(error.available())));
        }
    };
    refused([&] { exec.launch(stream); });
    refused([&] { exec.upload(stream); });
    launch_a_small_graph();
}

TEST_CASE("the footprint says what a launch takes", "[M3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::graph_memory memory(ag::device{0});
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{33} << 20, std::size_t{200} << 20}) {
        ag::memory_graph g;
        auto a = g.add_alloc<std::byte>(bytes);
        auto b = g.add_alloc<std::byte>(bytes / 2 + 1);
        g.add_free(ag::after(a), std::move(a));
        g.add_free(ag::after(b), std::move(b));
        auto exec = std::move(g).instantiate();
        const std::uint64_t expected = exec.footprint().bytes();  // measures the chunk the first time
        memory.trim();
        memory.reset_highs();
        exec.launch(stream);
        stream.synchronize();
        CHECK(memory.used_high() == expected);
    }
    memory.trim();
}

TEST_CASE("footprints of graphs that run at once add up, of graphs on one stream they do not", "[M4]") {
    ag::memory_footprint a;
    ag::memory_footprint b;
    a.add(ag::device{0}, 64);
    b.add(ag::device{0}, 32);
    b.add(ag::device{1}, 32);
    CHECK(at_once(a, b).bytes() == 128);
    CHECK(in_sequence(a, b).on(ag::device{0}) == 64);
    CHECK(in_sequence(a, b).bytes() == 96);
}

// In a process of its own: after it no graph of the process launches any more.
TEST_CASE("without the guard the process loses the device's memory", "[M2][.oom]") {
    {
        const ag::stream stream;
        auto exec = side_by_side<ag::unchecked_memory_graph>(0.7).instantiate();
        CHECK(driver_error_of([&] { exec.launch(stream); }).result() == CUDA_ERROR_OUT_OF_MEMORY);
    }
    const ag::stream stream;
    ag::unchecked_memory_graph g;
    auto x = g.add_alloc<int>(1024);
    g.add_free(ag::after(x), std::move(x));
    auto exec = std::move(g).instantiate();
    CHECK(driver_error_of([&] { exec.launch(stream); }).result() == CUDA_ERROR_OUT_OF_MEMORY);
}
