// Executables that change: parameters of nodes, nodes switched off, whole graphs.

#include <optional>

#include "fixture.hpp"

namespace {

using kernel = test_kernels::scale_add_kernel;

void CUDA_CB add_one(void* counter) { ++*static_cast<int*>(counter); }

}  // namespace

TEMPLATE_TEST_CASE("kernel, memset, memcpy and host parameters of an executable change", "[G9]", ag::memory_graph,
                   ag::unchecked_memory_graph) {
    const nothing_leaks guard;
    const ag::stream stream;
    TestType g;
    auto x = g.template add_alloc<float>(4);
    auto y = g.template add_alloc<float>(4);
    const auto xs = x.span();
    const auto ys = y.span();
    float first[4] = {};
    float second[4] = {};
    int calls = 0;
    int later_calls = 0;
    auto set_x = g.add_memset(ag::after(x), xs, 1.0f);
    auto set_y = g.add_memset(ag::after(y), ys, 2.0f);
    auto sum = g.add_kernel(ag::after(set_x, set_y), test_kernels::scale_add(), ag::grid_for(4), 4, 10.0f, xs.data(), ys.data());
    auto copy = g.add_memcpy(ag::after(sum), first, ys);
    auto host = g.add_host(ag::after(copy), [&calls] { ++calls; });
    g.add_free(ag::after(host), std::move(x));
    g.add_free(ag::after(host), std::move(y));
    auto exec = std::move(g).instantiate();
    const auto run = [&] {
        exec.launch(stream);
        must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    };
    run();
    CHECK(first[0] == 12.0f);
    CHECK(calls == 1);
    exec.update_kernel(sum, test_kernels::scale_add(), ag::grid_for(2), 2, 100.0f, xs.data(), ys.data());
    exec.update_memset(set_x, xs, 3.0f);
    exec.update_memset(set_y, ys, ag::zero);
    exec.update_memcpy(copy, second, ys);
    exec.update_host(host, &add_one, &later_calls);
    run();
    CHECK(first[0] == 12.0f);
    CHECK(std::vector<float>(second, second + 4) == std::vector<float>{300.0f, 300.0f, 0.0f, 0.0f});
    CHECK(calls == 1);
    CHECK(later_calls == 1);

    CHECK(exec.is_enabled(sum));
    exec.set_enabled(sum, false);
    CHECK_FALSE(exec.is_enabled(sum));
    run();
    CHECK(second[0] == 0.0f);
    exec.set_enabled(sum, true);
    exec.set_enabled(set_x, false);
    exec.set_enabled(copy, false);
    second[0] = 7.0f;
    run();
    CHECK(second[0] == 7.0f);
}

TEST_CASE("changed uses are checked like added ones", "[O1][O3][O5][D3][D4]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(16, ag::named("x"));
    auto y = g.add_alloc<float>(16, ag::named("y"));
    const auto xs = x.span();
    const auto ys = y.span();
    float host[16] = {};
    ag::graph other;
    auto foreign = other.add_memset(xs, 1.0f);
    auto set = g.add_memset(ag::after(x), xs, 1.0f);
    auto sum = g.add_kernel(ag::after(set), test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, xs.data(), xs.data());
    auto copy = g.add_memcpy(ag::after(sum, y), host, ys);
    auto called = g.add_host(ag::after(copy), [] {});
    g.add_free(ag::after(sum), std::move(x));
    g.add_free(ag::after(copy), std::move(y));
    auto exec = std::move(g).instantiate();

    const int line = __LINE__ + 2;
    const ag::misuse early =
        misuse_of([&] { exec.update_kernel(sum, test_kernels::scale_add(), ag::grid_for(16), 16, 1.0f, ys.data(), xs.data()); });
    CHECK(std::string(early.rule()) == "O1");
    CHECK_THAT(early.what(), ContainsSubstring("kernel 'scale_add' uses 'y'") && ContainsSubstring(place(__FILE__, line)));
    CHECK(std::string(misuse_of([&] { exec.update_memset(set, ys, 1.0f); }).rule()) == "O1");
    CHECK(std::string(misuse_of([&] { exec.update_memcpy(copy, host, xs); }).rule()) == "O3");
    CHECK(std::string(misuse_of([&] { exec.update_memcpy(copy, host, ys.first(3)); }).rule()) == "O5");
    CHECK(std::string(misuse_of([&] { exec.update_memset(set, xs.first(0), 1.0f); }).rule()) == "O5");
    CHECK(std::string(misuse_of([&] { exec.update_memset(foreign, xs, 1.0f); }).rule()) == "D3");
    CHECK(std::string(misuse_of([&] { exec.set_enabled(foreign, false); }).rule()) == "D3");
    CHECK(std::string(misuse_of([&] { exec.update_host(ag::host_node(ag::node()), &add_one, nullptr); }).rule()) == "D4");
    CHECK(std::string(misuse_of([&] {
                          exec.update_kernel(sum, kernel(), ag::grid_for(16), 16, 1.0f, xs.data(), xs.data());
                      }).rule()) == "kernel");
    ag::launch_config clustered = ag::grid_for(16);
    clustered.cluster = {1, 1, 1};
    CHECK(std::string(misuse_of([&] {
                          exec.update_kernel(sum, test_kernels::scale_add(), clustered, 16, 1.0f, xs.data(), xs.data());
                      }).rule()) == "grid");
    exec.update_host(called, &add_one, host);
    exec.update_memset(ag::memset_node(ag::node(set.get())), xs, 2.0f);  // found by the driver's handle
}

TEST_CASE("nodes inside of a moved child change too", "[G9][C9]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph parent;
    ag::memory_graph child;
    auto x = parent.add_alloc<int>(1);
    auto late = parent.add_alloc<int>(1);
    const auto unordered = late.span();
    auto y = child.add_alloc<int>(1);
    const auto ys = y.span();
    auto set = child.add_memset(ag::after(y), ys, 1);
    auto moved = parent.add_child(ag::after(x), std::move(child));
    int back = 0;
    auto copy = parent.add_memcpy(ag::after(moved.node), std::span(&back, 1), ys);
    parent.add_free(ag::after(copy), std::move(y));
    parent.add_free(ag::after(copy), std::move(x));
    parent.add_free(ag::after(late), std::move(late));
    auto exec = std::move(parent).instantiate();
    exec.update_memset(set, ys, 8);
    CHECK(std::string(misuse_of([&] { exec.update_memset(set, unordered, 9); }).rule()) == "O1");
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(back == 8);
}

TEMPLATE_TEST_CASE("an executable of a plain graph takes another graph over", "[G9]", ag::graph, ag::unchecked_graph) {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph owner;
    auto x = owner.add_alloc<int>(2);
    auto holds = std::move(owner).instantiate(ag::outputs(std::move(x)));
    auto launched = holds.launch(stream);
    const auto& memory = std::get<0>(launched);
    const auto build = [&](int value, bool longer, bool other_kind) {
        TestType g;
        ag::node last = other_kind ? ag::node(g.add_empty()) : ag::node(g.add_memset(memory.span(), value));
        if (longer) {
            g.add_empty(ag::after(last));
        }
        return g;
    };
    const TestType first = build(1, true, false);
    auto exec = first.instantiate();
    exec.update(build(2, true, false));
    exec.launch(stream);
    CHECK(contents(memory) == std::vector<int>{2, 2});

    const auto refused = [&](const TestType& g) -> ag::update_error {
        try {
            exec.update(g);
        } catch (const ag::update_error& error) {
            return error;
        }
        FAIL("the update was not refused");
        throw 0;
    };
    const TestType shorter = build(3, false, false);
    CHECK(refused(shorter).why() == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
    const TestType changed = build(4, true, true);
    const ag::update_error error = refused(changed);
    CHECK(error.result() == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(error.why() == CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
    CHECK(error.prevented().get() != nullptr);
    if constexpr (std::same_as<TestType, ag::graph>) {
        CHECK_THAT(error.what(), ContainsSubstring("a node of another kind: the empty node of updates.cpp:"));
    }
    exec.launch(stream);
    CHECK(contents(memory) == std::vector<int>{2, 2});
}
