// Conditional nodes: which body runs, what bodies hold and use, and what a graph with one may not do.

#include <optional>

#include <catch2/generators/catch_generators.hpp>

#include "fixture.hpp"

#define GRAPHS ag::graph, ag::memory_graph, ag::unchecked_graph, ag::unchecked_memory_graph

namespace {

/// Memory for the tests, and what it holds.
struct cell {
    ag::stream stream;
    CUdeviceptr address = 0;
    cell() { must(cuMemAlloc_v2(&address, sizeof(int)), "cuMemAlloc_v2"); }
    cell(const cell&) = delete;
    cell& operator=(const cell&) = delete;
    ~cell() { cuMemFree_v2(address); }
    [[nodiscard]] ag::device_span<int> span() const { return {ag::device_ptr<int>(address), 1}; }
    /// What the cell holds after a launch on a cell of 0.
    template <class G>
    int after_launch(G&& graph) const {
        must(cuMemsetD32Async(address, 0, 1, stream), "cuMemsetD32Async");
        auto exec = std::move(graph).instantiate();
        exec.launch(stream);
        int host = -1;
        must(cuMemcpyDtoHAsync_v2(&host, address, sizeof host, stream), "cuMemcpyDtoHAsync_v2");
        must(cuStreamSynchronize(stream), "cuStreamSynchronize");
        return host;
    }
};

// On the reference driver a kernel that counts down, and ends the loop: a GPU would need the device runtime for it.
int countdown = 0;
void count_down(const allograph_reference_launch*, void** p) {
    ++**static_cast<int**>(p[1]);
    allograph_reference_set_conditional(*static_cast<unsigned long long*>(p[0]), --countdown > 0 ? 1 : 0);
}

}  // namespace

TEMPLATE_TEST_CASE("if and if-else run the body that the value names", "[C9]", GRAPHS) {
    const nothing_leaks guard;
    const cell memory;
    const unsigned value = GENERATE(0u, 1u, 2u);
    {
        TestType g;
        auto decides = g.make_condition(value);
        auto [node, body] = g.add_if({}, decides);
        static_assert(std::same_as<decltype(node), ag::conditional_node>);
        body.add_memset(memory.span(), 1);
        g.add_empty(ag::after(node));
        CHECK(memory.after_launch(std::move(g)) == (value != 0 ? 1 : 0));
    }
    {
        TestType g;
        auto decides = g.make_condition(value);
        auto when = g.add_if_else({}, decides);
        when.body.add_memset(memory.span(), 1);
        when.otherwise.add_memset(memory.span(), 2);
        CHECK(memory.after_launch(std::move(g)) == (value != 0 ? 1 : 2));
    }
}

TEMPLATE_TEST_CASE("a switch runs the body that the value names, or none", "[C9]", GRAPHS) {
    const nothing_leaks guard;
    const cell memory;
    const unsigned value = GENERATE(0u, 2u, 3u, 7u);
    TestType g;
    auto decides = g.make_condition(value);
    auto cases = g.add_switch({}, decides, 3);
    REQUIRE(cases.bodies.size() == 3);
    for (int i = 0; i < 3; ++i) {
        cases.bodies[static_cast<std::size_t>(i)].add_memset(memory.span(), 10 + i);
    }
    CHECK(memory.after_launch(std::move(g)) == (value < 3 ? 10 + static_cast<int>(value) : 0));
}

TEST_CASE("a loop runs as long as its kernel says", "[C9]") {
    const nothing_leaks guard;
    const cell memory;
    {
        ag::graph never;
        auto decides = never.make_condition(0);
        auto loop = never.add_while({}, decides);
        loop.body.add_memset(memory.span(), 1);
        CHECK(memory.after_launch(std::move(never)) == 0);
    }
    if (!allograph_reference_active()) {
        SKIP("a kernel that sets a condition needs the device runtime");
    }
    constexpr std::size_t sizes[] = {sizeof(unsigned long long), sizeof(int*)};
    allograph_reference_register_kernel("count_down", &count_down, 2, sizes);
    CUmodule module = nullptr;
    must(cuModuleLoadData(&module, ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry count_down(.param .u64 a, "
                                   ".param .u64 b)\n{ ret; }\n"),
         "cuModuleLoadData");
    CUfunction function = nullptr;
    must(cuModuleGetFunction(&function, module, "count_down"), "cuModuleGetFunction");
    const ag::kernel<void(unsigned long long, int*)> kernel(function, "count_down");
    ag::graph g;
    auto decides = g.make_condition(1);
    auto loop = g.add_while({}, decides);
    loop.body.add_kernel(kernel, ag::grid_for(1), decides, memory.span().data());
    countdown = 5;
    CHECK(memory.after_launch(std::move(g)) == 5);
    must(cuModuleUnload(module), "cuModuleUnload");
}

TEMPLATE_TEST_CASE("bodies nest, in moved children too", "[C8][C9]", ag::memory_graph, ag::unchecked_memory_graph) {
    const nothing_leaks guard;
    const cell memory;
    TestType g;
    TestType child;
    auto inside = g.add_child(std::move(child));
    auto outer = inside.graph.make_condition(1);
    auto when = inside.graph.add_if({}, outer);
    auto inner = when.body.make_condition(1);
    auto cases = when.body.add_switch({}, inner, 2);
    cases.bodies[1].add_memset(memory.span(), 4);
    CHECK(memory.after_launch(std::move(g)) == 4);
}

TEST_CASE("a body may use an allocation of a graph around it", "[C9]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(4, ag::named("outer"));
    const auto memory = x.span();
    auto decides = g.make_condition(1);
    auto when = g.add_if(ag::after(x), decides);
    auto deeper = when.body.make_condition(1);
    auto inner = when.body.add_if({}, deeper);
    inner.body.add_memset(memory, 5);
    const ag::misuse early = misuse_of([&] { g.add_free(ag::after(x), std::move(x)); });
    CHECK(std::string(early.rule()) == "O3");
    CHECK_THAT(early.what(), ContainsSubstring("conditional"));
    SECTION("freed after the conditional") {
        g.add_free(ag::after(when.node), std::move(x));
        when.body.add_kernel(test_kernels::scale_add(), ag::grid_for(1), 0, 1.0f, ag::device_ptr<float>(memory.data().address()),
                             ag::device_ptr<float>(memory.data().address()), ag::uses(ag::writes(memory)));
        CHECK(std::string(misuse_of([&] { when.body.add_memset(memory, 1); }).rule()) == "O2");
        auto exec = std::move(g).instantiate();
        exec.launch(stream);
        exec.launch(stream);
        must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    }
    SECTION("an output") {
        auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<int>{5, 5, 5, 5});
        CHECK(std::string(misuse_of([&] { when.body.add_empty(); }).rule()) == "G10");
    }
}

TEST_CASE("a body's use outside of the life of the memory is found at its line", "[C9][O1][O3]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(4, ag::named("outer"));
    const auto memory = x.span();
    const auto touch = [&](auto& body, int line) {
        const ag::misuse wrong = misuse_of([&] {
            body.add_kernel(test_kernels::nothing(),
                            ag::detail::located<ag::launch_config>(ag::grid_for(1), __FILE__, static_cast<unsigned>(line)),
                            ag::uses(ag::writes(memory)));
        });
        CHECK_THAT(wrong.what(), ContainsSubstring("'outer'") && ContainsSubstring(place(__FILE__, line)));
        return std::string(wrong.rule());
    };
    auto first = g.make_condition(1);
    auto unordered = g.add_if({}, first);
    CHECK(touch(unordered.body, __LINE__) == "O1");
    auto freed = g.add_free(ag::after(x), std::move(x));
    auto second = g.make_condition(1);
    auto behind = g.add_if(ag::after(freed), second);
    CHECK(touch(behind.body, __LINE__) == "O3");
    auto third = g.make_condition(1);
    auto beside = g.add_if({}, third);
    CHECK(touch(beside.body, __LINE__) == "O1");
}

TEMPLATE_TEST_CASE("a condition is one node's, of the graph that made it", "[C9]", GRAPHS) {
    const nothing_leaks guard;
    TestType g;
    TestType other;
    auto decides = g.make_condition(1);
    CHECK(std::string(misuse_of([&] { other.add_if({}, decides); }).rule()) == "condition");
    auto when = g.add_if({}, decides);
    CHECK(std::string(misuse_of([&] { g.add_while({}, decides); }).rule()) == "condition");
    auto inner = when.body.make_condition(0);
    CHECK(std::string(misuse_of([&] { g.add_if({}, inner); }).rule()) == "condition");
    CHECK(std::string(misuse_of([&] { when.body.add_switch({}, inner, 0); }).rule()) == "condition");
    if constexpr (std::same_as<TestType, ag::graph> || std::same_as<TestType, ag::memory_graph>) {
        CHECK(std::string(misuse_of([&] { return std::move(g).instantiate(); }).rule()) == "condition");
    }
    when.body.add_if({}, inner);
    auto exec = std::move(g).instantiate();
}

TEST_CASE("a plain graph that holds a conditional: no clone, one executable at a time", "[C18]") {
    const nothing_leaks guard;
    ag::graph g;
    auto decides = g.make_condition(1);
    auto when = g.add_if({}, decides);
    CHECK(std::string(misuse_of([&] { return g.clone(); }).rule()) == "C18");
    std::optional first(g.instantiate());
    CHECK(std::string(misuse_of([&] { return g.instantiate(); }).rule()) == "C18");
    std::optional second(std::move(*first));
    first.reset();
    CHECK(std::string(misuse_of([&] { return g.instantiate(); }).rule()) == "C18");
    second.reset();
    auto third = g.instantiate();
    g.destroy_node(when.node);
    CHECK(std::string(misuse_of([&] { return g.clone(); }).rule()) == "C18");
}

TEST_CASE("a refused conditional leaves nothing", "[D2][D3]") {
    const nothing_leaks guard;
    ag::graph g;
    ag::graph other;
    auto a = g.add_empty();
    auto decides = g.make_condition(1);
    CHECK(std::string(misuse_of([&] { g.add_if(ag::after(a, a), decides); }).rule()) == "D2");
    CHECK(std::string(misuse_of([&] { g.add_switch(ag::after(other.add_empty()), decides, 2); }).rule()) == "D3");
    auto clone = g.add_if(ag::after(a), decides);
    CHECK(std::string(misuse_of([&] { clone.body.add_empty(ag::after(a)); }).rule()) == "D3");
    CHECK(node_count(g.get()) == 2);
}
