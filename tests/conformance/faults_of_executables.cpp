// Faults of graphs and executables: made, launched, changed, released.

#include "faults.hpp"

namespace {

template <class Graph>
void making_a_graph(faulty& f) {
    CUcontext context = nullptr;
    {
        const ag::stream makes_a_context_current;
    }
    must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    std::optional<Graph> g;
    f.attempt([&] { g.emplace(ag::device{0}); }, [] { return std::string(); }, [] { cuCtxSetCurrent(nullptr); });
    CUcontext now = nullptr;
    must(cuCtxGetCurrent(&now), "cuCtxGetCurrent");
    CHECK(now == context);
    f.attempt([&] { Graph second; });
    g->add_empty();
    CHECK(node_count(g->get()) == 1);
}

void making_a_stream(faulty& f) {
    CUcontext context = nullptr;
    {
        const ag::stream makes_a_context_current;
    }
    must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    std::optional<ag::stream> stream;
    f.attempt([&] { stream.emplace(); });
    stream->synchronize();
    CUcontext now = nullptr;
    must(cuCtxGetCurrent(&now), "cuCtxGetCurrent");
    CHECK(now == context);
}

template <class Graph>
void instantiating(faulty& f) {
    program<Graph> p;
    auto fates = ag::outputs(std::move(p.x));
    std::optional<decltype(std::move(p.graph).instantiate(std::move(fates)))> exec;
    f.attempt(
        [&] { exec.emplace(std::move(p.graph).instantiate(std::move(fates), ag::upload_to{p.stream})); },
        [&] { return std::to_string(node_count(p.graph.get())) + (std::get<0>(fates.tokens()).spent() ? " spent" : " live"); });
    auto [buffer] = exec->launch(p.stream);
    CHECK(contents(buffer) == std::vector<float>(100, 1.5f));
}

void instantiating_a_plain_graph(faulty& f) {
    ag::graph g;
    int calls = 0;
    g.add_host([&] { ++calls; });
    std::optional<decltype(g.instantiate())> exec;
    f.attempt([&] { exec.emplace(g.instantiate()); });
    const ag::stream stream;
    exec->launch(stream);
    stream.synchronize();
    CHECK(calls == 1);
}

template <class Graph>
void launching(faulty& f) {
    program<Graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    std::optional<ag::stream_buffer<float>> kept;
    const auto launch = [&] {
        auto [buffer] = exec.launch(p.stream);
        kept.emplace(std::move(buffer));
    };
    f.attempt(launch);
    CHECK(contents(*kept) == std::vector<float>(100, 1.5f));
    kept.reset();
    f.attempt(launch);  // a relaunch
    CHECK(contents(*kept) == std::vector<float>(100, 1.5f));
}

template <class Graph>
void launching_with_auto_free(faulty& f) {
    program<Graph> p;
    std::vector<typename Graph::template token_of<float>> tokens;
    tokens.push_back(std::move(p.x));
    auto exec = std::move(p.graph).instantiate(ag::auto_free(std::move(tokens)));
    std::vector<ag::device_span<float>> spans;
    f.attempt([&] { spans = exec.launch(p.stream); });
    f.attempt([&] { spans = exec.launch(p.stream); });
    CHECK(contents(spans[0], p.stream) == std::vector<float>(100, 1.5f));
}

void launching_a_producer_and_a_consumer(faulty& f) {
    program<ag::memory_graph> p;
    ag::memory_graph consumer;
    consumer.add_free(std::move(p.x));
    auto makes = std::move(p.graph).instantiate();
    auto frees = std::move(consumer).instantiate();
    f.attempt([&] { makes.launch(p.stream); });
    CHECK_THROWS_AS(makes.launch(p.stream), ag::misuse);
    f.attempt([&] { frees.launch(p.stream); });
    CHECK_THROWS_AS(frees.launch(p.stream), ag::misuse);
    p.stream.synchronize();
}

template <class Graph>
void uploading(faulty& f) {
    program<Graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    f.attempt([&] { exec.upload(p.stream); });
    auto [buffer] = exec.launch(p.stream);
    CHECK(contents(buffer) == std::vector<float>(100, 1.5f));
}

template <class Graph>
void releasing_the_graph(faulty& f) {
    program<Graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    {
        auto results = exec.launch(p.stream);
    }
    std::optional<std::tuple<Graph, typename Graph::template token_of<float>>> released;
    f.attempt([&] { released.emplace(std::move(exec).release_graph()); },
              [&] {
                  auto [buffer] = exec.launch(p.stream);  // still whole
                  return std::to_string(contents(buffer)[99]);
              });
    auto& [graph, x] = *released;
    graph.add_memset(ag::after(p.set), x.span(), 2.0f);
    auto again = std::move(graph).instantiate(ag::outputs(std::move(x)));
    auto [buffer] = again.launch(p.stream);
    CHECK(contents(buffer) == std::vector<float>(100, 2.0f));
}

template <class Graph>
void cloning(faulty& f) {
    int calls = 0;
    Graph g;
    const auto first = g.add_host([&] { ++calls; });
    const auto second = g.add_host(ag::after(first), [&] { ++calls; });
    std::optional<Graph> copy;
    f.attempt([&] { copy.emplace(g.clone()); });
    ag::node there;
    f.attempt([&] { there = copy->find(second); });
    copy->add_host(ag::after(there), [&] { ++calls; });
    auto exec = copy->instantiate();
    const ag::stream stream;
    exec.launch(stream);
    stream.synchronize();
    CHECK(calls == 3);
}

template <class Graph>
void removing(faulty& f) {
    Graph g;
    const auto first = g.add_empty();
    const auto second = g.add_empty(ag::after(first));
    const auto third = g.add_empty(ag::after(first, second));
    const auto state = [&] {
        return std::to_string(node_count(g.get())) + " " + std::to_string(dependencies_of(third.get()).size());
    };
    f.attempt([&] { g.remove_dependency(first, third); }, state);
    CHECK(dependencies_of(third.get()).size() == 1);
    f.attempt([&] { g.destroy_node(second); }, state);
    CHECK(node_count(g.get()) == 2);
    g.add_dependency(third, first);
}

void using_a_buffer(faulty& f) {
    program<ag::memory_graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    auto [buffer] = exec.launch(p.stream);
    const auto state = [&b = buffer] { return std::to_string(b.size()); };
    std::vector<float> host(100);
    f.attempt([&, &b = buffer] { b.copy_to(host); }, state);
    f.attempt([&] { p.stream.synchronize(); });
    CHECK(host == std::vector<float>(100, 1.5f));
    f.attempt([&b = buffer] { b.free(); }, state);
    CHECK(buffer.size() == 0);
    auto [again] = exec.launch(p.stream);
    CHECK(again.size() == 100);
}

void asking_about_memory(faulty& f) {
    const ag::graph_memory memory{ag::device{0}};
    const ag::stream needs_a_context;
    memory.trim();
    std::uint64_t sum = 0;
    f.attempt([&] { sum = memory.used() + memory.reserved() + memory.used_high() + memory.reserved_high(); });
    f.attempt([&] { memory.reset_highs(); });
    f.attempt([&] { memory.trim(); });
    CHECK(memory.used() == 0);
    static_cast<void>(sum);
}

void CUDA_CB add_one(void* counter) { ++*static_cast<int*>(counter); }

template <class Graph>
void changing_an_executable(faulty& f) {
    program<Graph> p;
    const ag::device_span<float> x = p.x.span();
    std::vector<float> first(100);
    std::vector<float> second(100);
    int calls = 0;
    int later_calls = 0;
    const auto sum =
        p.graph.add_kernel(ag::after(p.set), test_kernels::scale_add(), ag::grid_for(100), 100, 1.0f, x.data(), x.data());
    const auto copy = p.graph.add_memcpy(ag::after(sum), first, x);
    const auto host = p.graph.add_host(ag::after(copy), [&calls] { ++calls; });
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    const auto runs = [&] {
        {
            auto buffers = exec.launch(p.stream);
        }
        p.stream.synchronize();
        const int called = std::exchange(calls, 0);
        const int later = std::exchange(later_calls, 0);
        return std::to_string(first[0]) + " " + std::to_string(second[0]) + " " + std::to_string(called) + " " +
               std::to_string(later);
    };
    f.attempt([&] { exec.update_memset(p.set, x, 2.0f); }, runs);
    f.attempt([&] { exec.update_kernel(sum, test_kernels::scale_add(), ag::grid_for(100), 100, 9.0f, x.data(), x.data()); },
              runs);
    f.attempt([&] { exec.update_memcpy(copy, second, x); }, runs);
    f.attempt([&] { exec.update_host(host, &add_one, &later_calls); }, runs);
    first[0] = 0.0f;
    CHECK(runs() == "0.000000 20.000000 0 1");
    f.attempt([&] { exec.set_enabled(sum, false); }, runs);
    bool enabled = true;
    f.attempt([&] { enabled = exec.is_enabled(sum); }, runs);
    CHECK_FALSE(enabled);
    CHECK(runs() == "0.000000 2.000000 0 1");
}

template <class Graph>
void taking_another_graph_over(faulty& f) {
    int calls = 0;
    int later_calls = 0;
    Graph g;
    g.add_host([&calls] { ++calls; });
    Graph other;
    other.add_host([&later_calls] { ++later_calls; });
    auto exec = g.instantiate();
    const ag::stream stream;
    const auto runs = [&] {
        exec.launch(stream);
        stream.synchronize();
        const int called = std::exchange(calls, 0);
        const int later = std::exchange(later_calls, 0);
        return std::to_string(called) + " " + std::to_string(later);
    };
    f.attempt([&] { exec.update(other); }, runs);
    CHECK(runs() == "0 1");
}

const scenario all[] = {
    OF_BOTH(making_a_graph),
    OF_BOTH_PLAIN(making_a_graph),
    OF_ONE(making_a_stream),
    OF_BOTH(instantiating),
    OF_ONE(instantiating_a_plain_graph),
    OF_BOTH(launching),
    OF_BOTH(launching_with_auto_free),
    OF_ONE(launching_a_producer_and_a_consumer),
    OF_BOTH(uploading),
    OF_BOTH(releasing_the_graph),
    OF_BOTH_PLAIN(cloning),
    OF_BOTH_PLAIN(removing),
    OF_ONE(using_a_buffer),
    OF_ONE(asking_about_memory),
    OF_BOTH(changing_an_executable),
    OF_BOTH_PLAIN(taking_another_graph_over),
};

}  // namespace

std::span<const scenario> scenarios_of_executables() { return all; }

TEST_CASE("a change that fails forgets nothing of what other graphs' memory is used", "[faults][X6]") {
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when told to");
    }
    const nothing_leaks guard;
    program<ag::memory_graph> p;
    ag::memory_graph user;
    std::vector<float> host(100);
    std::vector<float> other(100);
    const auto copy = user.add_memcpy(host, p.x.span());
    const auto x = p.x.span();
    auto makes = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    auto uses = std::move(user).instantiate();
    allograph_reference_fail("cuGraphExecMemcpyNodeSetParams", 1, CUDA_ERROR_SYSTEM_NOT_READY);
    driver_error_of([&] { uses.update_memcpy(copy, other, x); });
    allograph_reference_clear_failures();
    CHECK(misuse_of([&] { uses.launch(p.stream); }).rule() == std::string("X6"));
}

TEST_CASE("outputs that are made in a call that fails die with it, and the graph is as it was", "[faults][F10]") {
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when told to");
    }
    const nothing_leaks guard;
    program<ag::memory_graph> p;
    const std::size_t nodes = node_count(p.graph.get());
    allograph_reference_fail("cuGraphInstantiateWithParams", 1, CUDA_ERROR_SYSTEM_NOT_READY);
    driver_error_of([&] { (void)std::move(p.graph).instantiate(ag::outputs(std::move(p.x))); });
    allograph_reference_clear_failures();
    CHECK(p.x.spent());
    CHECK(node_count(p.graph.get()) == nodes);
    p.graph.add_empty(ag::after(p.set));
    const ag::misuse fateless = misuse_of([&] { (void)std::move(p.graph).instantiate(); });
    CHECK(fateless.rule() == std::string("F10"));
    CHECK_THAT(fateless.what(), ContainsSubstring("x: float[100]"));
}
