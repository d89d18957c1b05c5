// Executables: outputs, auto-free, options, launches, and what may not be launched.

#include <optional>

#include "fixture.hpp"

namespace {

// A function template's own failure to choose an overload must be a failed check here, not a build that stops.
template <class... Tokens>
auto outputs_of(Tokens&&... tokens) {
    constexpr bool chosen = requires { ag::outputs(std::forward<Tokens>(tokens)...); };
    if constexpr (chosen) {
        return ag::outputs(std::forward<Tokens>(tokens)...);
    } else {
        FAIL("ag::outputs does not take these");
        return ag::no_fates{};
    }
}

struct converts_to_a_stream {
    CUstream stream;
    operator CUstream() const { return stream; }
};

}  // namespace

#define MEMORY_GRAPHS ag::memory_graph, ag::unchecked_memory_graph

TEMPLATE_TEST_CASE("a pack of outputs comes back typed and in order", "[X8]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    SECTION("none") {
        TestType g;
        g.add_empty();
        if constexpr (std::same_as<decltype(outputs_of()), ag::no_fates>) {
            outputs_of();
        } else {
            auto exec = std::move(g).instantiate(outputs_of());
            static_assert(std::same_as<decltype(exec.launch(stream)), std::tuple<>>);
            exec.launch(stream);
            exec.launch(stream);
        }
    }
    SECTION("one") {
        TestType g;
        auto x = g.template add_alloc<int>(3);
        g.add_memset(ag::after(x), x.span(), 4);
        auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
        auto [result] = exec.launch(stream);
        static_assert(std::same_as<decltype(result), ag::stream_buffer<int>>);
        CHECK(result.stream() == stream.get());
        CHECK(result.size_bytes() == 12);
        CHECK(contents(result) == std::vector<int>{4, 4, 4});
    }
    SECTION("many types") {
        TestType g;
        auto x = g.template add_alloc<int>(1);
        auto y = g.template add_alloc<float>(2);
        auto z = g.template add_alloc<std::uint8_t>(3);
        g.add_memset(ag::after(x), x.span(), 1);
        g.add_memset(ag::after(y), y.span(), 2.0f);
        g.add_memset(ag::after(z), z.span(), std::uint8_t{3});
        auto exec = std::move(g).instantiate(ag::outputs(std::move(z), std::move(x), std::move(y)));
        auto [three, one, two] = exec.launch(stream);
        CHECK(contents(one) == std::vector<int>{1});
        CHECK(contents(two) == std::vector<float>{2, 2});
        CHECK(contents(three) == std::vector<std::uint8_t>{3, 3, 3});
    }
}

TEMPLATE_TEST_CASE("a container of outputs comes back as a vector", "[X8]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    for (const std::size_t count : {0u, 1u, 20u}) {
        TestType g;
        g.add_empty();
        std::vector<typename TestType::template token_of<unsigned>> tokens;
        for (std::size_t i = 0; i < count; ++i) {
            tokens.push_back(g.template add_alloc<unsigned>(i + 1));
            g.add_memset(ag::after(tokens.back()), tokens.back().span(), static_cast<unsigned>(i));
        }
        auto exec = std::move(g).instantiate(ag::outputs(std::move(tokens)));
        for (int round = 0; round < 2; ++round) {
            const std::vector<ag::stream_buffer<unsigned>> results = exec.launch(stream);
            REQUIRE(results.size() == count);
            for (std::size_t i = 0; i < count; ++i) {
                CHECK(contents(results[i]) == std::vector<unsigned>(i + 1, static_cast<unsigned>(i)));
            }
        }
    }
}

TEMPLATE_TEST_CASE("auto-free: spans until the next launch, flat memory, nothing left", "[X2][X3][M1]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::graph_memory memory{ag::device{0}};
    memory.trim();
    const std::uint64_t before = memory.used();
    SECTION("a pack") {
        TestType g;
        auto x = g.template add_alloc<int>(1 << 20);
        auto y = g.template add_alloc<float>(10);
        g.add_memset(ag::after(x), x.span(), 5);
        g.add_memset(ag::after(y), y.span(), 6.0f);
        auto exec = std::move(g).instantiate(ag::auto_free(std::move(x), std::move(y)));
        CHECK((flags_of(exec.get()) & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0);
        std::uint64_t used = 0;
        for (int i = 0; i < 50; ++i) {
            auto [ints, floats] = exec.launch(stream);
            static_assert(std::same_as<decltype(ints), ag::device_span<int>>);
            stream.synchronize();
            used = i == 0 ? memory.used() : used;
            CHECK(memory.used() == used);
            if (i % 10 == 0) {
                CHECK(contents(ints, stream) == std::vector<int>(1 << 20, 5));
                CHECK(contents(floats, stream) == std::vector<float>(10, 6.0f));
            }
        }
        CHECK(used > before);
    }
    SECTION("a container") {
        TestType g;
        std::vector<typename TestType::template token_of<int>> tokens;
        for (int i = 0; i < 10; ++i) {
            tokens.push_back(g.template add_alloc<int>(100));
            g.add_memset(ag::after(tokens.back()), tokens.back().span(), i);
        }
        auto exec = std::move(g).instantiate(ag::auto_free(std::move(tokens)));
        for (int i = 0; i < 50; ++i) {
            const std::vector<ag::device_span<int>> spans = exec.launch(stream);
            REQUIRE(spans.size() == 10);
            CHECK(contents(spans[7], stream) == std::vector<int>(100, 7));
        }
    }
    SECTION("never launched") {
        TestType g;
        auto x = g.template add_alloc<int>(1);
        const auto exec = std::move(g).instantiate(ag::auto_free(std::move(x)));
    }
    stream.synchronize();
    memory.trim();
    CHECK(memory.used() == before);
}

TEMPLATE_TEST_CASE("options in any order reach the driver", "[G8][M1]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::graph_memory memory{ag::device{0}};
    const auto program = [](TestType& g) {
        auto x = g.template add_alloc<int>(1000);
        g.add_memset(ag::after(x), x.span(), 3);
        return x;
    };
    memory.trim();
    const std::uint64_t before = memory.used();
    constexpr auto auto_free = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    // Driver 13.0 takes these two and does not show them again.
    constexpr auto unshown =
        static_cast<cuuint64_t>(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    {
        TestType g;
        auto x = program(g);
        auto exec = std::move(g).instantiate(ag::upload_to{stream}, ag::outputs(std::move(x)), ag::use_node_priorities);
        stream.synchronize();
        CHECK((flags_of(exec.get()) & ~unshown) == 0);
        CHECK(memory.used() > before);  // mapped before any launch
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<int>(1000, 3));
    }
    {
        TestType g;
        auto x = program(g);
        const ag::upload_to named_option{stream};
        auto exec = std::move(g).instantiate(ag::use_node_priorities, ag::auto_free(std::move(x)), named_option);
        CHECK((flags_of(exec.get()) & ~unshown) == auto_free);
        auto [memory_of_x] = exec.launch(stream);
        CHECK(contents(memory_of_x, stream) == std::vector<int>(1000, 3));
    }
    {
        TestType g;
        auto x = program(g);
        auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
        CHECK(flags_of(exec.get()) == 0);
    }
}

TEMPLATE_TEST_CASE("upload maps the memory, twice, and while outputs live", "[M1][X12]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::graph_memory memory{ag::device{0}};
    memory.trim();
    const std::uint64_t before = memory.used();
    TestType g;
    auto x = g.template add_alloc<std::byte>(1000);
    g.add_memset(ag::after(x), x.span(), std::byte{1});
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    CHECK(memory.used() == before);
    exec.upload(stream);
    stream.synchronize();
    const std::uint64_t mapped = memory.used();
    CHECK(mapped > before);
    exec.upload(stream);
    auto [result] = exec.launch(stream);
    exec.upload(stream);
    CHECK(contents(result) == std::vector<std::byte>(1000, std::byte{1}));
    CHECK(memory.used() == mapped);
}

TEMPLATE_TEST_CASE("launches take every kind of stream", "[P3]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream first;
    const ag::stream second;
    int runs = 0;
    TestType g;
    auto x = g.template add_alloc<int>(1);
    const auto set = g.add_memset(ag::after(x), x.span(), 9);
    g.add_host(ag::after(set), [&] { ++runs; });
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    const auto launch_on = [&](const auto& stream, CUstream expected) {
        auto [result] = exec.launch(stream);
        CHECK(result.stream() == expected);
        CHECK(contents(result) == std::vector<int>{9});
        result.free();
        must(cuStreamSynchronize(expected), "cuStreamSynchronize");
    };
    launch_on(first, first.get());
    launch_on(second, second.get());
    launch_on(second.get(), second.get());
    launch_on(converts_to_a_stream{first}, first.get());
    launch_on(ag::stream_ref(second), second.get());
    launch_on(nullptr, nullptr);
    launch_on(CUstream{CU_STREAM_PER_THREAD}, CUstream{CU_STREAM_PER_THREAD});
    CHECK(runs == 7);
}

TEST_CASE("no relaunch while an output lives", "[X1]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    const std::string line = BELOW;
    auto x = g.add_alloc<float>(1 << 18, ag::named("activations"));
    auto y = g.add_alloc<int>(4);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x), std::move(y)));
    auto [first, second] = exec.launch(stream);

    const std::size_t launches = allograph_reference_calls("cuGraphLaunch");
    std::string launched;
    const ag::misuse mistake = misuse_of([&] { launched = HERE, exec.launch(stream); });
    CHECK(mistake.rule() == std::string("X1"));
    CHECK_THAT(mistake.what(), ContainsSubstring("activations: float[262144], 1 MiB") && ContainsSubstring(line) &&
                                   ContainsSubstring("int[4], 16 bytes"));
    CHECK_THAT(mistake.what(), ContainsSubstring(launched) && ContainsSubstring("fix: "));
    CHECK(allograph_reference_calls("cuGraphLaunch") == launches);

    first.free();
    const std::string rest = misuse_of([&] { exec.launch(stream); }).what();
    CHECK_THAT(rest, !ContainsSubstring("activations") && ContainsSubstring("int[4]"));
    second.free();
    auto [third, fourth] = exec.launch(stream);
    CHECK(third.size() == 1 << 18);
    CHECK_THROWS_AS(exec.launch(stream), ag::misuse);
}

TEST_CASE("without checks the driver refuses the relaunch", "[X1]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::unchecked_memory_graph g;
    auto x = g.add_alloc<float>(10);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    {
        auto [result] = exec.launch(stream);
        const ag::driver_error error = driver_error_of([&] { exec.launch(stream); });
        CHECK(error.call() == std::string("cuGraphLaunch"));
        CHECK(error.result() == CUDA_ERROR_INVALID_VALUE);
        CHECK_THAT(error.what(), ContainsSubstring("executables.cpp:"));
    }
    auto [again] = exec.launch(stream);
    CHECK(again.size() == 10);
}

TEST_CASE("a second executable waits for the outputs of the first", "[X7][G5]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(2, ag::named("x"));
    const auto set = g.add_memset(ag::after(x), x.span(), 8);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    auto [result] = exec.launch(stream);

    SECTION("as an output again") {
        auto [graph, token] = std::move(exec).release_graph();
        auto second = std::move(graph).instantiate(ag::outputs(std::move(token)));
        const ag::misuse mistake = misuse_of([&] { second.launch(stream); });
        CHECK(mistake.rule() == std::string("X7"));
        CHECK_THAT(mistake.what(), ContainsSubstring("x: int[2], 8 bytes"));
        CHECK(contents(result) == std::vector<int>{8, 8});
        result.free();
        auto [again] = second.launch(stream);
        CHECK(contents(again) == std::vector<int>{8, 8});
    }
    SECTION("with auto-free") {
        auto [graph, token] = std::move(exec).release_graph();
        auto second = std::move(graph).instantiate(ag::auto_free(std::move(token)));
        CHECK(misuse_of([&] { second.launch(stream); }).rule() == std::string("X7"));
        result.free();
        second.launch(stream);
        auto [span] = second.launch(stream);
        CHECK(contents(span, stream) == std::vector<int>{8, 8});
    }
    SECTION("freed in the graph by now") {
        auto [graph, token] = std::move(exec).release_graph();
        if (free_former_output(graph, ag::after(set), token)) {
            auto second = std::move(graph).instantiate();
            CHECK(misuse_of([&] { second.launch(stream); }).rule() == std::string("X7"));
            result.free();
            second.launch(stream);
            second.launch(stream);
        }
    }
}

TEST_CASE("an allocation without a fate is named with its line", "[F10]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    const std::string first = BELOW;
    auto x = g.add_alloc<float>(1 << 20, ag::named("x"));
    auto y = g.add_alloc<int>(ag::after(x), 3);
    const std::string third = BELOW;
    auto z = g.add_alloc<double>(ag::after(y), 100);
    const auto touch = g.add_memset(ag::after(y), y.span(), 0);
    g.add_free(ag::after(touch), std::move(y));

    const std::size_t calls = allograph_reference_calls("cuGraphInstantiateWithParams");
    std::string line;
    const ag::misuse mistake = misuse_of([&] { line = HERE, (void)std::move(g).instantiate(); });
    CHECK(mistake.rule() == std::string("F10"));
    CHECK_THAT(mistake.what(),
               ContainsSubstring("2 allocations have no fate") && ContainsSubstring(line) && ContainsSubstring("fix: "));
    CHECK_THAT(mistake.what(), ContainsSubstring(first + "   x: float[1048576], 4 MiB"));
    CHECK_THAT(mistake.what(), ContainsSubstring(third + "   double[100], 800 bytes"));
    CHECK_THAT(mistake.what(), !ContainsSubstring("int[3]"));
    CHECK(allograph_reference_calls("cuGraphInstantiateWithParams") == calls);

    // nothing changed: with fates it works
    auto keeps_z = ag::outputs(std::move(z));
    CHECK_THAT(misuse_of([&] { (void)std::move(g).instantiate(std::move(keeps_z)); }).what(),
               ContainsSubstring("'x' has no fate"));
    g.add_free(ag::after(touch), std::move(x));
    auto exec = std::move(g).instantiate(std::move(keeps_z));
    const ag::stream stream;
    auto [result] = exec.launch(stream);
    CHECK(result.size() == 100);
}

TEST_CASE("without checks a missing fate shows at the relaunch", "[F10]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::unchecked_memory_graph g;
    const auto x = g.add_alloc<float>(10);
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    CHECK(driver_error_of([&] { exec.launch(stream); }).result() == CUDA_ERROR_INVALID_VALUE);
    must(cuMemFreeAsync(x.data().address(), stream), "cuMemFreeAsync");
    exec.launch(stream);
    must(cuMemFreeAsync(x.data().address(), stream), "cuMemFreeAsync");
    stream.synchronize();
}

TEST_CASE("outputs belong to the graph that made them, and are not spent", "[F3][F9]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    ag::memory_graph other;
    auto x = g.add_alloc<int>(1);
    auto foreign = other.add_alloc<int>(1);
    SECTION("an output of another graph") {
        auto keeps = ag::outputs(std::move(foreign), std::move(x));
        CHECK(misuse_of([&] { (void)std::move(g).instantiate(std::move(keeps)); }).rule() == std::string("F3"));
        CHECK_FALSE(std::get<0>(keeps.tokens()).spent());
        CHECK_FALSE(std::get<1>(keeps.tokens()).spent());
    }
    SECTION("a spent token") {
        const ag::node made = x;
        g.add_free(ag::after(made), std::move(x));
        std::vector<ag::alloc_node<int>> tokens;
        tokens.push_back(std::move(x));
        CHECK(misuse_of([&] { (void)std::move(g).instantiate(ag::outputs(std::move(tokens))); }).rule() == std::string("F9"));
    }
    CHECK(node_count(g.get()) >= 1);
}

TEST_CASE("a spent token throws when it is asked for anything", "[F9]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(4);
    auto y = g.add_alloc<int>(4);
    const ag::node made = x;
    const auto freed = g.add_free(ag::after(made), std::move(x));
    CHECK(x.spent());
    const std::size_t nodes = node_count(g.get());
    const auto refused = [&](auto&& action) {
        CHECK(misuse_of(action).rule() == std::string("F9"));
        CHECK(node_count(g.get()) == nodes);
    };
    refused([&] { (void)x.data(); });
    refused([&] { (void)x.span(); });
    refused([&] { g.add_free(ag::after(freed), std::move(x)); });
    refused([&] { g.add_empty(ag::after(x)); });
    refused([&] { g.add_memset(ag::after(x), y.span(), 1); });
    refused([&] { g.add_dependency(x, y); });
    auto moved = std::move(y);
    CHECK(y.spent());
    CHECK_FALSE(moved.spent());
    refused([&] { (void)y.span(); });
    const ag::node again = moved;
    g.add_free(ag::after(again), std::move(moved));
}

TEST_CASE("a program that runs, all together", "[D1][F1]") {
    const nothing_leaks guard;
    constexpr int n = 5000;
    const std::vector<float> input(n, 3.0f);
    std::vector<float> output(n);
    const ag::stream stream;
    ag::memory_graph g{ag::device{0}};
    CHECK(g.where_it_runs() == ag::device{0});
    CHECK(g.get() != nullptr);
    auto x = g.add_alloc<float>(n, ag::named("x"));
    auto y = g.add_alloc<float>(ag::after(x), n, ag::named("y"));
    auto in = g.add_memcpy(ag::after(x), x.span(), input);
    auto ones = g.add_memset(ag::after(y), y.span(), 1.0f);
    auto k = g.add_kernel(ag::after(in, ones), test_kernels::scale_add(), ag::grid_for(n), n, 2.0f, x.data(), y.data());
    auto freed = g.add_free(ag::after(k), std::move(x));
    auto out = g.add_memcpy(ag::after(k), output, y.span());
    auto done = g.add_empty(ag::after(freed, out));
    g.add_free(ag::after(done), std::move(y));
    auto exec = std::move(g).instantiate();
    for (int i = 0; i < 3; ++i) {
        std::fill(output.begin(), output.end(), 0.0f);
        exec.launch(stream);
        stream.synchronize();
        CHECK(output == std::vector<float>(n, 7.0f));
    }
}
