// Plain graphs: clones, removal, and as many executables as are wanted.

#include "fixture.hpp"

#define PLAIN_GRAPHS ag::graph, ag::unchecked_graph

namespace {

/// Memory of no graph.
class device_memory {
public:
    explicit device_memory(std::size_t bytes) { must(cuMemAlloc_v2(&address_, bytes), "cuMemAlloc_v2"); }
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;
    ~device_memory() { cuMemFree_v2(address_); }
    template <class T>
    ag::device_ptr<T> as() const {
        return ag::device_ptr<T>(static_cast<std::uint64_t>(address_));
    }

private:
    CUdeviceptr address_ = 0;
};

}  // namespace

TEMPLATE_TEST_CASE("a plain graph works on memory that it does not own", "[D1]", PLAIN_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    constexpr int n = 256;
    const device_memory x(n * sizeof(float));
    const device_memory y(n * sizeof(float));
    std::vector<float> host(n);
    TestType g;
    const auto set_x = g.add_memset(ag::device_span(x.as<float>(), n), 2.0f);
    const auto set_y = g.add_memset(ag::device_span(y.as<float>(), n), ag::zero);
    const auto k = g.add_kernel(ag::after(set_x, set_y), test_kernels::scale_add(), ag::grid_for(n), n, 3.0f, x.as<float>(),
                                y.as<float>().get());
    g.add_memcpy(ag::after(k), host, ag::device_span(y.as<const float>(), n));
    auto exec = g.instantiate();
    exec.launch(stream);
    stream.synchronize();
    CHECK(host == std::vector<float>(n, 6.0f));
}

TEMPLATE_TEST_CASE("executables of a plain graph are independent of it and of each other", "[G5][X5]", PLAIN_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    int first = 0;
    int second = 0;
    TestType g;
    const auto a = g.add_host([&] { ++first; });
    auto one = g.instantiate();
    auto two = g.instantiate(ag::use_node_priorities, ag::upload_to{stream});
    g.add_host(ag::after(a), [&] { ++second; });
    auto three = g.instantiate();
    one.launch(stream);
    two.launch(stream);
    three.launch(stream);
    stream.synchronize();
    CHECK(first == 3);
    CHECK(second == 1);
    two = std::move(three);
    two.upload(stream);
    two.launch(stream);
    stream.synchronize();
    CHECK(second == 2);
}

TEMPLATE_TEST_CASE("a clone is a graph of its own", "[G1]", PLAIN_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    std::vector<int> order;
    TestType g;
    const auto first = g.add_host([&] { order.push_back(1); });
    const auto second = g.add_host(ag::after(first), [&] { order.push_back(2); });
    TestType copy = g.clone();
    CHECK(copy.get() != g.get());
    CHECK(copy.where_it_runs() == g.where_it_runs());

    const ag::node first_there = copy.find(first);
    const ag::node second_there = copy.find(second.get());
    CHECK(first_there.get() != first.get());
    CHECK(dependencies_of(second_there.get()) == std::vector{first_there.get()});
    copy.add_host(ag::after(second_there), [&] { order.push_back(3); });
    copy.add_host(ag::after(first_there), [] {});
    CHECK(node_count(g.get()) == 2);
    CHECK(node_count(copy.get()) == 4);

    TestType copy_of_the_copy = copy.clone();
    CHECK(node_count(copy_of_the_copy.get()) == 4);
    auto exec = copy.instantiate();
    exec.launch(stream);
    stream.synchronize();
    CHECK(order == std::vector<int>{1, 2, 3});
    CHECK_THROWS_AS(copy.find(copy_of_the_copy.add_empty()), ag::driver_error);
}

TEST_CASE("nodes of a graph are no nodes of its clone", "[D3][G1]") {
    const nothing_leaks guard;
    ag::graph g;
    const auto a = g.add_empty();
    ag::graph copy = g.clone();
    CHECK(misuse_of([&] { copy.add_empty(ag::after(a)); }).rule() == std::string("D3"));
    CHECK(misuse_of([&] { copy.add_empty(std::vector{a.get()}); }).rule() == std::string("D3"));
    CHECK(misuse_of([&] { copy.add_dependency(a, copy.find(a)); }).rule() == std::string("D3"));
    copy.add_empty(ag::after(copy.find(a)));
    CHECK(misuse_of([&] { g.add_empty(ag::after(copy.find(a))); }).rule() == std::string("D3"));
}

TEMPLATE_TEST_CASE("nodes and edges can be removed", "[G2][G3]", PLAIN_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    std::vector<int> order;
    TestType g;
    const auto first = g.add_host([&] { order.push_back(1); });
    const auto doomed = g.add_host(ag::after(first), [&] { order.push_back(9); });
    const auto second = g.add_host(ag::after(first, doomed), [&] { order.push_back(2); });
    g.remove_dependency(first, second);
    CHECK(dependencies_of(second.get()) == std::vector{doomed.get()});
    g.destroy_node(doomed);
    CHECK(dependencies_of(second.get()).empty());
    CHECK(node_count(g.get()) == 2);
    g.add_dependency(second, first);  // the other way round: no path is left
    const auto third = g.add_host(ag::after(first, second.get()), [&] { order.push_back(3); });
    g.destroy_node(third.get());
    auto exec = g.instantiate();
    exec.launch(stream);
    stream.synchronize();
    CHECK(order == std::vector<int>{2, 1});
}

TEST_CASE("what is not there cannot be removed", "[D3][D4][D6]") {
    const nothing_leaks guard;
    ag::graph g;
    ag::graph other;
    const auto a = g.add_empty();
    const auto b = g.add_empty(ag::after(a));
    const auto c = g.add_empty(ag::after(b));
    const auto foreign = other.add_empty();
    const auto refused = [&](const char* rule, auto&& action) {
        CHECK(misuse_of(action).rule() == std::string(rule));
        CHECK(node_count(g.get()) == 3);
        CHECK(dependencies_of(c.get()).size() == 1);
    };
    refused("D6", [&] { g.remove_dependency(a, c); });
    refused("D6", [&] { g.remove_dependency(b, a); });
    refused("D3", [&] { g.remove_dependency(foreign, c); });
    refused("D4", [&] { g.remove_dependency(a, ag::node()); });
    refused("D3", [&] { g.destroy_node(foreign); });
    refused("D4", [&] { g.destroy_node(ag::node()); });
    g.destroy_node(b);
    CHECK(misuse_of([&] { g.destroy_node(b); }).rule() == std::string("D3"));
    CHECK(misuse_of([&] { g.add_empty(ag::after(b)); }).rule() == std::string("D3"));
    CHECK(misuse_of([&] { g.add_dependency(a, b); }).rule() == std::string("D3"));
    CHECK(node_count(g.get()) == 2);
    g.add_dependency(a, c);
    CHECK(misuse_of([&] { g.add_dependency(c, a); }).rule() == std::string("D7"));
}

TEMPLATE_TEST_CASE("a plain graph can be made for launches from the device", "[G7]", PLAIN_GRAPHS) {
    const nothing_leaks guard;
    TestType g;
    g.add_kernel(test_kernels::nothing(), ag::launch_config{});
    const auto exec = g.instantiate(ag::device_launch);
    CHECK((flags_of(exec.get()) & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0);

    TestType with_a_host_node;
    with_a_host_node.add_host([] {});
    const ag::driver_error error = driver_error_of([&] { (void)with_a_host_node.instantiate(ag::device_launch); });
    CHECK(error.call() == std::string("cuGraphInstantiateWithParams"));
    CHECK_THAT(error.what(), ContainsSubstring("result = ") && ContainsSubstring("plain_graph.cpp:"));
}

TEMPLATE_TEST_CASE("plain graphs move", "[G5]", PLAIN_GRAPHS) {
    const nothing_leaks guard;
    TestType g;
    const auto a = g.add_empty();
    TestType moved(std::move(g));
    TestType assigned;
    assigned = std::move(moved);
    CHECK(dependencies_of(assigned.add_empty(ag::after(a)).get()) == std::vector{a.get()});
    CHECK(node_count(assigned.clone().get()) == 2);
}
