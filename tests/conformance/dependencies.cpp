// Dependencies: every range of node handles, what is refused, and edges that come late.

#include <array>
#include <deque>
#include <list>
#include <ranges>
#include <span>

#include "fixture.hpp"

namespace {

template <class Graph>
struct three_nodes {
    Graph graph;
    ag::empty_node a = graph.add_empty();
    ag::empty_node b = graph.add_empty();
    ag::empty_node c = graph.add_empty();

    std::vector<CUgraphNode> handles() const {
        std::vector<CUgraphNode> all{a.get(), b.get(), c.get()};
        std::sort(all.begin(), all.end());
        return all;
    }
    void check(const ag::node& made) const { CHECK(dependencies_of(made.get()) == handles()); }
};

}  // namespace

#define EVERY_GRAPH ag::graph, ag::unchecked_graph, ag::memory_graph, ag::unchecked_memory_graph

TEMPLATE_TEST_CASE("any range of nodes gives the same edges", "[D1][D5]", EVERY_GRAPH) {
    const nothing_leaks guard;
    three_nodes<TestType> t;
    auto& g = t.graph;
    const ag::node a = t.a;
    const ag::node b = t.b;
    const ag::node c = t.c;

    SECTION("contiguous ranges of nodes") {
        const ag::node c_array[] = {a, b, c};
        const std::vector<ag::node> vector{a, b, c};
        t.check(g.add_empty(vector));
        t.check(g.add_empty(std::vector<ag::node>{a, b, c}));
        t.check(g.add_empty(std::array<ag::node, 3>{a, b, c}));
        t.check(g.add_empty(std::span(vector)));
        t.check(g.add_empty(std::span<const ag::node, 3>(c_array)));
        t.check(g.add_empty({a, b, c}));
        t.check(g.add_empty(std::initializer_list<ag::node>{c, b, a}));
    }
    SECTION("the driver's own handles") {
        const std::vector<CUgraphNode> vector{a.get(), b.get(), c.get()};
        t.check(g.add_empty(vector));
        t.check(g.add_empty(std::span(vector)));
        t.check(g.add_empty(std::array{a.get(), b.get(), c.get()}));
        t.check(g.add_empty(std::list<CUgraphNode>(vector.begin(), vector.end())));
    }
    SECTION("typed handles, and ranges that are not contiguous") {
        t.check(g.add_empty(std::vector<ag::empty_node>{t.a, t.b, t.c}));
        t.check(g.add_empty(std::list<ag::node>{a, b, c}));
        t.check(g.add_empty(std::deque<ag::node>{a, b, c}));
    }
#if !defined(__clang__) || __clang_major__ >= 16  // clang 14 and 15 cannot read the views of libstdc++
    SECTION("views") {
        const ag::node all[] = {b, a, b, c, b};
        const std::vector<ag::node> vector{a, b, c};
        t.check(g.add_empty(std::views::all(vector)));
        t.check(g.add_empty(vector | std::views::reverse));
        t.check(g.add_empty(std::views::iota(0, 3) |
                            std::views::transform([&](int i) { return vector[static_cast<std::size_t>(i)]; })));
        const ag::node unwanted = g.add_empty();
        const ag::node some[] = {a, unwanted, b, c, unwanted};
        t.check(g.add_empty(some | std::views::filter([unwanted](const ag::node& n) { return n != unwanted; })));
        t.check(g.add_empty(all | std::views::drop(1) | std::views::take(3)));
    }
#endif
    SECTION("after") {
        t.check(g.add_empty(ag::after(t.a, b, c.get())));
        t.check(g.add_empty(ag::unique_after(std::vector<ag::node>{c, a, b, a, c, c})));
        t.check(g.add_empty(ag::unique_after(std::list<CUgraphNode>{a.get(), b.get(), a.get(), c.get()})));
    }
}

TEMPLATE_TEST_CASE("an empty range makes a root", "[D1]", EVERY_GRAPH) {
    const nothing_leaks guard;
    TestType g;
    const std::vector<ag::node> none;
    CHECK(dependencies_of(g.add_empty().get()).empty());
    CHECK(dependencies_of(g.add_empty(none).get()).empty());
    CHECK(dependencies_of(g.add_empty(std::span<const CUgraphNode>()).get()).empty());
    CHECK(dependencies_of(g.add_empty(std::list<ag::node>()).get()).empty());
    CHECK(dependencies_of(g.add_empty(std::initializer_list<ag::node>{}).get()).empty());
    CHECK(dependencies_of(g.add_empty(ag::unique_after(none)).get()).empty());
    CHECK(node_count(g.get()) == 6);
}

TEMPLATE_TEST_CASE("more dependencies than the stack holds", "[D1][D2]", EVERY_GRAPH) {
    const nothing_leaks guard;
    for (const int count : {15, 16, 17, 33, 500}) {
        TestType g;
        std::vector<ag::empty_node> typed;
        std::vector<ag::node> nodes;
        std::vector<CUgraphNode> raw;
        for (int i = 0; i < count; ++i) {
            typed.push_back(g.add_empty());
            nodes.push_back(typed.back());
            raw.push_back(nodes.back().get());
        }
        std::vector<CUgraphNode> expected = raw;
        std::sort(expected.begin(), expected.end());
        CHECK(dependencies_of(g.add_empty(typed).get()) == expected);
        CHECK(dependencies_of(g.add_empty(nodes).get()) == expected);
        CHECK(dependencies_of(g.add_empty(raw).get()) == expected);
        CHECK(dependencies_of(g.add_empty(std::list<ag::node>(nodes.begin(), nodes.end())).get()) == expected);
        if constexpr (!std::same_as<TestType, ag::unchecked_graph> && !std::same_as<TestType, ag::unchecked_memory_graph>) {
            nodes.push_back(nodes.front());
            CHECK(misuse_of([&] { g.add_empty(nodes); }).rule() == std::string("D2"));
        }
    }
}

namespace {

template <class Graph, class Range>
void add_after(Graph& g, const Range& range, std::vector<CUgraphNode>& dependencies) {
    if constexpr (requires { g.add_empty(range); }) {
        dependencies = dependencies_of(g.add_empty(range).get());
    } else {
        FAIL("add_empty does not take this range");
    }
}

}  // namespace

TEST_CASE("an array knows its count", "[D5]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    const ag::node nodes[] = {g.add_empty(), g.add_empty()};
    std::vector<CUgraphNode> dependencies;
    SECTION("of nodes") { add_after(g, nodes, dependencies); }
    SECTION("of the driver's handles") {
        const CUgraphNode handles[] = {nodes[0].get(), nodes[1].get()};
        add_after(g, handles, dependencies);
    }
    CHECK(dependencies.size() == 2);
}

TEST_CASE("tokens and typed nodes stand as dependencies", "[D1]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    std::vector<ag::alloc_node<float>> tokens;
    for (int i = 0; i < 3; ++i) {
        tokens.push_back(g.add_alloc<float>(16));
    }
    const auto set = g.add_memset(tokens, tokens[0].span(), 1.0f);
    CHECK(dependencies_of(set.get()).size() == 3);
    const auto join = g.add_empty(ag::after(set, tokens[1], tokens[2].get(), ag::node(tokens[0])));
    CHECK(dependencies_of(join.get()).size() == 4);
    for (auto& token : tokens) {
        g.add_free(ag::after(join), std::move(token));
    }
    const ag::stream stream;
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    stream.synchronize();
}

TEMPLATE_TEST_CASE("a wrong dependency changes nothing", "[D2][D3][D4]", ag::graph, ag::memory_graph) {
    const nothing_leaks guard;
    TestType g;
    TestType other;
    const auto a = g.add_empty();
    const auto b = g.add_empty(ag::after(a));
    const auto foreign = other.add_empty();
    const auto refused = [&](const char* rule, auto&& deps) {
        const std::size_t calls = allograph_reference_calls("cuGraphAddEmptyNode");
        const ag::misuse mistake = misuse_of([&] { g.add_empty(deps); });
        CHECK(mistake.rule() == std::string(rule));
        CHECK_THAT(mistake.what(), ContainsSubstring("dependencies.cpp:"));
        CHECK(allograph_reference_calls("cuGraphAddEmptyNode") == calls);
        CHECK(node_count(g.get()) == 2);
        return std::string(mistake.what());
    };
    refused("D2", ag::after(a, b, a));
    refused("D2", std::vector<CUgraphNode>{a.get(), a.get()});
    const std::string text = refused("D3", ag::after(a, foreign));
    CHECK_THAT(text, ContainsSubstring("is a node of graph"));
    refused("D3", std::vector<CUgraphNode>{foreign.get()});
    refused("D4", std::vector<ag::node>(1));
    refused("D4", std::vector<CUgraphNode>(1));

    const auto last = g.add_empty(ag::after(a, b));
    CHECK(dependencies_of(last.get()).size() == 2);
}

TEMPLATE_TEST_CASE("without checks the driver refuses wrong dependencies", "[D2][D3][D4]", ag::unchecked_graph,
                   ag::unchecked_memory_graph) {
    const nothing_leaks guard;
    TestType g;
    TestType other;
    const auto a = g.add_empty();
    const auto refused = [&](auto&& deps) {
        const ag::driver_error error = driver_error_of([&] { g.add_empty(deps); });
        CHECK(error.call() == std::string("cuGraphAddEmptyNode"));
        CHECK(error.result() == CUDA_ERROR_INVALID_VALUE);
    };
    refused(ag::after(a, a));
    refused(ag::after(other.add_empty()));
    refused(std::vector<ag::node>(1));
    CHECK(node_count(g.get()) == 1);
}

TEMPLATE_TEST_CASE("an edge may be added later, once, and closes no cycle", "[D6][D7]", ag::graph, ag::memory_graph) {
    const nothing_leaks guard;
    TestType g;
    std::vector<int> order;
    const auto step = [&](int number) { return g.add_host([&order, number] { order.push_back(number); }); };
    const auto third = step(3);
    const auto second = step(2);
    const auto first = step(1);
    g.add_dependency(first, second);
    g.add_dependency(second.get(), third);

    const std::string again = misuse_of([&] { g.add_dependency(first, second); }).what();
    CHECK_THAT(again, ContainsSubstring("[D6]"));
    CHECK_THAT(misuse_of([&] { g.add_dependency(third, first); }).what(), ContainsSubstring("[D7]"));
    CHECK_THAT(misuse_of([&] { g.add_dependency(first, first); }).what(), ContainsSubstring("[D7]"));
    CHECK_THAT(misuse_of([&] { g.add_dependency(first, ag::node()); }).what(), ContainsSubstring("[D4]"));
    TestType other;
    CHECK_THAT(misuse_of([&] { g.add_dependency(other.add_empty(), first); }).what(), ContainsSubstring("[D3]"));

    const ag::stream stream;
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    stream.synchronize();
    CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("the message about a dependency names the line of the call", "[D2]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    const auto a = g.add_empty();
    const std::string made = HERE;
    std::string line;
    const std::string text = misuse_of([&] { line = HERE, g.add_empty(ag::after(a, a)); }).what();
    CHECK_THAT(text, ContainsSubstring(line));
    CHECK_THAT(text, ContainsSubstring("unique_after"));
    CHECK(made != line);
}

TEST_CASE("inferred dependencies order a program", "[D1][O3]") {
    const nothing_leaks guard;
    constexpr int n = 100;
    const std::vector<float> input(n, 2.0f);
    ag::memory_graph g;
    auto x = g.add_alloc<float>(n);
    auto y = g.add_alloc<float>(ag::inferred, n);
    g.add_memcpy(ag::inferred, x.span(), input);
    g.add_memset(ag::inferred, y.span(), 1.0f);
    g.add_kernel(ag::inferred, test_kernels::scale_add(), ag::grid_for(n), n, 10.0f, x.data(), y.data());
    g.add_free(ag::inferred, std::move(x));
    const ag::stream stream;
    auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<float>(n, 21.0f));

    ag::unchecked_memory_graph unchecked;
    CHECK_THROWS_AS(unchecked.add_empty(ag::inferred), ag::misuse);
}
