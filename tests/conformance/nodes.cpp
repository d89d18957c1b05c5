// Every kind of node, run, with its result checked.

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "fixture.hpp"

namespace {

struct three_bytes {
    unsigned char value[3];
    friend bool operator==(const three_bytes&, const three_bytes&) = default;
};
struct six_bytes {
    unsigned short value[3];
    friend bool operator==(const six_bytes&, const six_bytes&) = default;
};
struct twelve_bytes {
    float value[3];
    friend bool operator==(const twelve_bytes&, const twelve_bytes&) = default;
};
struct four_bytes {
    std::int16_t low;
    std::int16_t high;
    friend bool operator==(const four_bytes&, const four_bytes&) = default;
};
enum class color : std::uint16_t { none, green = 0x1234 };

/// What a memory of `count` elements holds after one memset.
template <class Graph, class T, class Value>
std::vector<T> after_memset(Value value, std::size_t count) {
    const ag::stream stream;
    Graph g;
    auto memory = g.template add_alloc<T>(count);
    g.add_memset(ag::after(memory), memory.span(), value);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(memory)));
    auto [result] = exec.launch(stream);
    return contents(result);
}

template <class Graph, class T>
void check_memset(T value) {
    CHECK(after_memset<Graph, T>(value, 1) == std::vector<T>(1, value));
    CHECK(after_memset<Graph, T>(value, 1001) == std::vector<T>(1001, value));
    CHECK(after_memset<Graph, T>(ag::zero, 1001) == std::vector<T>(1001, T{}));
}

}  // namespace

#define MEMORY_GRAPHS ag::memory_graph, ag::unchecked_memory_graph

TEMPLATE_TEST_CASE("memset of values of 1, 2 and 4 bytes", "[A14]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    check_memset<TestType, std::uint8_t>(0xAB);
    check_memset<TestType, signed char>(-3);
    check_memset<TestType, char>('x');
    check_memset<TestType, std::byte>(std::byte{0x7F});
    check_memset<TestType, std::uint16_t>(0xBEEF);
    check_memset<TestType, short>(-2);
    check_memset<TestType, color>(color::green);
    check_memset<TestType, float>(-1.5f);
    check_memset<TestType, int>(-7);
    check_memset<TestType, unsigned>(0xDEADBEEF);
    check_memset<TestType, four_bytes>({-1, 2});
}

TEMPLATE_TEST_CASE("memset to zero of any type", "[A14]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    CHECK(after_memset<TestType, double>(ag::zero, 333) == std::vector<double>(333));
    CHECK(after_memset<TestType, long long>(ag::zero, 1) == std::vector<long long>(1));
    CHECK(after_memset<TestType, three_bytes>(ag::zero, 5) == std::vector<three_bytes>(5));
    CHECK(after_memset<TestType, six_bytes>(ag::zero, 5) == std::vector<six_bytes>(5));
    CHECK(after_memset<TestType, twelve_bytes>(ag::zero, 5) == std::vector<twelve_bytes>(5));
}

TEMPLATE_TEST_CASE("copies both ways, between devices spans, and of parts", "[O5]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    constexpr std::size_t n = 64;
    std::vector<int> input(n);
    for (std::size_t i = 0; i < n; ++i) {
        input[i] = static_cast<int>(i);
    }
    std::vector<int> whole(n);
    std::array<int, 8> part{};
    int last[4] = {};

    TestType g;
    auto x = g.template add_alloc<int>(n);
    auto y = g.template add_alloc<int>(ag::after(x), n);
    const auto in = g.add_memcpy(ag::after(x), x.span(), input);
    const auto clear = g.add_memset(ag::after(y), y.span(), -1);
    const auto across = g.add_memcpy(ag::after(in, clear), y.span().subspan(10, 20), x.span().first(20));
    const auto mark = g.add_memset(ag::after(across), y.span().last(3), 99);
    const auto out = g.add_memcpy(ag::after(mark), std::span(whole), y.span());
    const auto out_part = g.add_memcpy(ag::after(mark), part, y.span().subspan(8, 8));
    const auto out_last = g.add_memcpy(ag::after(mark), last, ag::device_span<const int>(y.span().last(4)));
    const auto joined = g.add_empty(ag::after(out, out_part, out_last));
    g.add_free(ag::after(joined), std::move(x));
    g.add_free(ag::after(joined), std::move(y));
    auto exec = std::move(g).instantiate();

    const ag::stream stream;
    for (int round = 0; round < 2; ++round) {
        std::fill(whole.begin(), whole.end(), 0);
        exec.launch(stream);
        stream.synchronize();
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(whole[i] == (i >= n - 3 ? 99 : i >= 10 && i < 30 ? static_cast<int>(i) - 10 : -1));
        }
        CHECK(part == std::array<int, 8>{-1, -1, 0, 1, 2, 3, 4, 5});
        CHECK((last[0] == -1 && last[1] == 99 && last[2] == 99 && last[3] == 99));
    }
}

TEMPLATE_TEST_CASE("host memory is read when the graph runs", "[D1]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    double input[3] = {1, 2, 3};
    TestType g;
    auto x = g.template add_alloc<double>(3);
    g.add_memcpy(ag::after(x), x.span(), std::span<const double>(input));
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    const ag::stream stream;
    {
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<double>{1, 2, 3});
    }
    input[1] = 20;
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<double>{1, 20, 3});
}

TEMPLATE_TEST_CASE("copies and memsets of the wrong size", "[O5]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    TestType g;
    auto x = g.template add_alloc<int>(8);
    std::vector<int> seven(7);
    std::vector<int> none;
    const auto refused = [&](auto&& action) {
        const ag::misuse mistake = misuse_of(action);
        CHECK(mistake.rule() == std::string("O5"));
        CHECK(node_count(g.get()) == 1);
        return std::string(mistake.what());
    };
    CHECK_THAT(refused([&] { g.add_memcpy(ag::after(x), x.span(), seven); }), ContainsSubstring("nodes.cpp:"));
    refused([&] { g.add_memcpy(ag::after(x), seven, x.span()); });
    refused([&] { g.add_memcpy(ag::after(x), x.span().first(0), none); });
    refused([&] { g.add_memset(ag::after(x), x.span().first(0), 1); });
    refused([&] { g.add_memset(ag::after(x), x.span().subspan(4, 5), 1); });
    refused([&] { g.add_memset(ag::after(x), x.span().last(9), 1); });
    refused([&] { g.add_memset(ag::after(x), ag::device_span<int>(x.data() + 4, 5), 1); });
    refused([&] { g.add_memset(ag::after(x), ag::device_span<int>(x.data() + 9, 1), 1); });
    refused([&] { g.add_memset(ag::after(x), ag::device_span<int>(x.data() - 1, 1), 1); });
    const auto set = g.add_memset(ag::after(x), x.span(), 1);
    g.add_free(ag::after(set), std::move(x));
}

TEMPLATE_TEST_CASE("a kernel of a module and of a library", "[D1]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    constexpr int n = 1000;
    for (const auto& kernel : {test_kernels::scale_add(), test_kernels::scale_add_of_a_library()}) {
        const std::vector<float> input(n, 3.0f);
        TestType g;
        auto x = g.template add_alloc<float>(n);
        auto y = g.template add_alloc<float>(ag::after(x), n);
        const auto in = g.add_memcpy(ag::after(x), x.span(), input);
        const auto ones = g.add_memset(ag::after(y), y.span(), 1.0f);
        const auto k = g.add_kernel(ag::after(in, ones), kernel, ag::grid_for(n, 128), n, 2.0f, x.data(), y.data());
        const auto again = g.add_kernel(ag::after(k), kernel, ag::grid_for(500), std::size_t{500}, 10.0f,
                                        ag::device_ptr<const float>(x.data()), y.data() + 500);
        g.add_free(ag::after(again), std::move(x));
        const ag::stream stream;
        auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));
        auto [result] = exec.launch(stream);
        const std::vector<float> values = contents(result);
        CHECK(std::all_of(values.begin(), values.begin() + 500, [](float v) { return v == 7.0f; }));
        CHECK(std::all_of(values.begin() + 500, values.end(), [](float v) { return v == 37.0f; }));
    }
}

TEMPLATE_TEST_CASE("a kernel gets its grid, block and shared memory", "[D1]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    TestType g;
    auto what = g.template add_alloc<unsigned>(8);
    const auto clear = g.add_memset(ag::after(what), what.span(), ag::zero);
    g.add_kernel(ag::after(clear), test_kernels::shape(),
                 ag::launch_config{.grid = {.x = 5, .y = 3, .z = 2}, .block = {.x = 8, .y = 4, .z = 2}, .shared_bytes = 1024},
                 what.data());
    const ag::stream stream;
    auto exec = std::move(g).instantiate(ag::outputs(std::move(what)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<unsigned>{5, 3, 2, 8, 4, 2, 1024, 5 * 3 * 2 * 8 * 4 * 2});
}

TEMPLATE_TEST_CASE("kernel arguments of every size arrive", "[D1]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    TestType g;
    auto from = g.template add_alloc<unsigned>(1);
    auto to = g.template add_alloc<double>(ag::after(from), 7);
    const auto set = g.add_memset(ag::after(from), from.span(), 4000000000u);
    const auto k = g.add_kernel(ag::after(set, to), test_kernels::parameters(), ag::launch_config{}, -5, std::uint16_t{65535},
                                -(1LL << 40), 0.25, parameter_pair{7, 1.5f}, from.data(), to.data());
    g.add_free(ag::after(k), std::move(from));
    const ag::stream stream;
    auto exec = std::move(g).instantiate(ag::outputs(std::move(to)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<double>{-5, 65535, -1099511627776.0, 0.25, 7, 1.5, 4000000000.0});
}

TEMPLATE_TEST_CASE("kernels that cannot be launched as asked", "[argument][grid]", MEMORY_GRAPHS, ag::graph) {
    const nothing_leaks guard;
    TestType g;
    const auto refused = [&](const char* rule, auto&& action) {
        CHECK(misuse_of(action).rule() == std::string(rule));
        CHECK(node_count(g.get()) == 0);
    };
    const ag::device_ptr<unsigned> from{0x1000};
    const ag::device_ptr<double> to{0x2000};
    const auto pass = [&](auto small, auto unsigned_short) {
        g.add_kernel(test_kernels::parameters(), ag::launch_config{}, small, unsigned_short, 0, 0.0, parameter_pair{}, from, to);
    };
    refused("argument", [&] { pass(128, 0); });
    refused("argument", [&] { pass(-129LL, 0); });
    refused("argument", [&] { pass(0, -1); });
    refused("argument", [&] { pass(0, 65536u); });
    refused("grid", [&] {
        g.add_kernel(test_kernels::nothing(), ag::launch_config{.grid = {.x = 3}, .cluster = {.x = 2, .y = 1, .z = 1}});
    });
    refused("grid", [&] {
        g.add_kernel(test_kernels::nothing(), ag::launch_config{.grid = {.x = 4}, .cluster = {.x = 2, .y = 0, .z = 1}});
    });
    refused("kernel", [&] { g.add_kernel(ag::kernel<void()>("no function"), ag::launch_config{}); });

    const ag::driver_error error =
        driver_error_of([&] { g.add_kernel(test_kernels::nothing(), ag::launch_config{.grid = {.x = 0}}); });
    CHECK(error.call() == std::string("cuGraphAddKernelNode_v2"));
    CHECK_THAT(error.what(), ContainsSubstring("grid = 0") && ContainsSubstring("nodes.cpp:"));
    CHECK(node_count(g.get()) == 0);
}

TEMPLATE_TEST_CASE("a cluster is an attribute of the kernel node", "[D1]", MEMORY_GRAPHS, ag::graph) {
    const nothing_leaks guard;
    const ag::stream needs_the_driver;
    int major = 0;
    must(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), "cuDeviceGetAttribute");
    if (major < 9) {
        SKIP("clusters need compute capability 9");
    }
    TestType g;
    const auto k =
        g.add_kernel(test_kernels::nothing(), ag::launch_config{.grid = {.x = 4, .y = 2}, .cluster = {.x = 2, .y = 2, .z = 1}});
    CUkernelNodeAttrValue value{};
    must(cuGraphKernelNodeGetAttribute(k.get(), CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &value), "cuGraphKernelNodeGetAttribute");
    CHECK(value.clusterDim.x == 2);
    CHECK(value.clusterDim.y == 2);
    CHECK(value.clusterDim.z == 1);
}

namespace {

/// Counts the copies of itself that hold something: a callable must be destroyed once, and no earlier.
class counted {
public:
    counted(int& alive, int& calls) : alive_(&alive), calls_(&calls) { ++*alive_; }
    counted(counted&& other) noexcept
        : alive_(std::exchange(other.alive_, nullptr)), calls_(other.calls_), state_(std::move(other.state_)) {}
    counted& operator=(counted&&) = delete;
    ~counted() {
        if (alive_ != nullptr) {
            --*alive_;
        }
    }
    void operator()() { *calls_ += *state_; }

private:
    int* alive_;
    int* calls_;
    std::unique_ptr<int> state_ = std::make_unique<int>(1);
};

}  // namespace

TEMPLATE_TEST_CASE("a host function is kept alive, called, and destroyed once", "[C14]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    int alive = 0;
    int calls = 0;
    {
        TestType g;
        g.add_host(counted(alive, calls));
        g.add_host(ag::after(g.add_empty()), counted(alive, calls));
        CHECK(alive == 2);
        auto exec = std::move(g).instantiate();
        const ag::stream stream;
        exec.launch(stream);
        exec.launch(stream);
        stream.synchronize();
        CHECK(calls == 4);
        CHECK(alive == 2);
    }
    CHECK(eventually([&] { return alive == 0; }));
}

TEMPLATE_TEST_CASE("a host function outlives its plain graph", "[X5]", ag::graph, ag::unchecked_graph) {
    const nothing_leaks guard;
    int alive = 0;
    int calls = 0;
    {
        std::optional<TestType> g(std::in_place);
        g->add_host(counted(alive, calls));
        auto first = g->instantiate();
        auto second = g->instantiate();
        auto copy = g->clone();
        g.reset();
        CHECK(alive == 1);
        const ag::stream stream;
        first.launch(stream);
        second.launch(stream);
        auto third = copy.instantiate();
        third.launch(stream);
        stream.synchronize();
        CHECK(calls == 3);
        CHECK(alive == 1);
    }
    CHECK(eventually([&] { return alive == 0; }));
}

TEMPLATE_TEST_CASE("a graph that is never run destroys its host functions", "[C14]", MEMORY_GRAPHS, ag::graph) {
    const nothing_leaks guard;
    int alive = 0;
    int calls = 0;
    {
        TestType g;
        g.add_host(counted(alive, calls));
        CHECK(alive == 1);
    }
    CHECK(eventually([&] { return alive == 0; }));
    CHECK(calls == 0);
}

TEST_CASE("a host function that is refused stays with the caller", "[D2]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    const auto a = g.add_empty();
    auto state = std::make_unique<int>(5);
    auto function = [state = std::move(state)] { ++*state; };
    const std::size_t objects = allograph_reference_calls("cuUserObjectCreate");
    CHECK_THROWS_AS(g.add_host(ag::after(a, a), std::move(function)), ag::misuse);
    CHECK(allograph_reference_calls("cuUserObjectCreate") == objects);
    CHECK(node_count(g.get()) == 1);
    g.add_host(ag::after(a), std::move(function));
    const ag::stream stream;
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    stream.synchronize();
}

TEST_CASE("any callable without arguments makes a host node", "[C14]") {
    const nothing_leaks guard;
    static int calls = 0;
    calls = 0;
    struct plain {
        static void function() { ++calls; }
    };
    const std::function<void()> wrapped = [] { calls += 10; };
    auto returns = [n = 0]() mutable { return calls += 100 + n++; };
    ag::graph g;
    auto last = g.add_host(plain::function);
    last = g.add_host(ag::after(last), &plain::function);
    last = g.add_host(ag::after(last), wrapped);
    last = g.add_host(ag::after(last), returns);
    last = g.add_host(ag::after(last), std::ref(wrapped));
    auto exec = g.instantiate();
    const ag::stream stream;
    exec.launch(stream);
    stream.synchronize();
    CHECK(calls == 122);
    exec.launch(stream);
    stream.synchronize();
    CHECK(calls == 245);
}

TEST_CASE("what a host function touches can be said", "[O1][O3]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(4);
    auto touch = [] {};
    CHECK(misuse_of([&] { g.add_host(std::vector<ag::node>{}, touch, ag::uses(ag::reads(x))); }).rule() == std::string("O1"));
    const auto h = g.add_host(ag::after(x), touch, ag::uses(ag::writes(x.span()), ag::reads(x.data())));
    const ag::node made = x;
    CHECK(misuse_of([&] { g.add_free(ag::after(made), std::move(x)); }).rule() == std::string("O3"));
    CHECK_FALSE(x.spent());
    const auto k = g.add_kernel(ag::after(h), test_kernels::nothing(), ag::launch_config{}, ag::uses(ag::writes(x)));
    CHECK(misuse_of([&] { g.add_free(ag::after(h), std::move(x)); }).rule() == std::string("O3"));
    g.add_free(ag::after(k), std::move(x));
}
