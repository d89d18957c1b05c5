// Faults while nodes are added: the graph, its tokens and what hangs on them are as they were.

#include <memory>

#include "faults.hpp"

namespace {

template <class Graph>
void adding_an_allocation(faulty& f) {
    program<Graph> p;
    std::vector<typename Graph::template token_of<int>> tokens;
    f.attempt([&] { tokens.push_back(p.graph.template add_alloc<int>(ag::after(p.set), 10)); }, p.state());
    const auto set = p.graph.add_memset(tokens, tokens[0].span(), 3);
    std::vector<int> host(10);
    const auto out = p.graph.add_memcpy(ag::after(set), host, tokens[0].span());
    p.graph.add_free(ag::after(out), std::move(tokens[0]));
    p.check_result();
    CHECK(host == std::vector<int>(10, 3));
}

template <class Graph>
void adding_a_shared_allocation(faulty& f) {
    program<Graph> p;
    std::vector<typename Graph::template token_of<int>> tokens;
    f.attempt([&] { tokens.push_back(p.graph.template add_alloc<int>(10, ag::on(ag::device{0}).shared_with(ag::device{0}))); },
              p.state());
    p.graph.add_free(tokens, std::move(tokens[0]));
    p.check_result();
}

template <class Graph>
void adding_a_free(faulty& f) {
    program<Graph> p;
    f.attempt([&] { p.graph.add_free(ag::after(p.set), std::move(p.x)); }, p.state());
    auto exec = std::move(p.graph).instantiate();
    exec.launch(p.stream);
    exec.launch(p.stream);
    p.stream.synchronize();
}

void adding_a_free_of_another_graph(faulty& f) {
    program<ag::memory_graph> p;
    ag::memory_graph consumer;
    std::vector<float> host(100);
    const auto out = consumer.add_memcpy(host, p.x.span());
    f.attempt([&] { consumer.add_free(ag::after(out), std::move(p.x)); },
              [&] {
                  // A failed free gave the allocation no fate.
                  const bool fateless =
                      !p.x.spent() && misuse_of([&] { (void)std::move(p.graph).instantiate(); }).rule() == std::string("F10");
                  return std::to_string(node_count(consumer.get())) + (fateless ? " nodes, no fate" : " nodes");
              });
    auto makes = std::move(p.graph).instantiate();
    auto frees = std::move(consumer).instantiate();
    for (int i = 0; i < 2; ++i) {
        makes.launch(p.stream);
        frees.launch(p.stream);
    }
    p.stream.synchronize();
    CHECK(host == std::vector<float>(100, 1.5f));
}

template <class Graph>
void adding_a_memset(faulty& f) {
    program<Graph> p;
    f.attempt([&] { p.graph.add_memset(ag::after(p.set), p.x.span(), 4.0f); }, p.state());
    CHECK(p.result() == std::vector<float>(100, 4.0f));
}

template <class Graph>
void adding_a_memcpy(faulty& f) {
    const std::vector<float> input(100, 5.0f);
    program<Graph> p;
    f.attempt([&] { p.graph.add_memcpy(ag::after(p.set), p.x.span(), input); }, p.state());
    CHECK(p.result() == input);
}

template <class Graph>
void adding_a_kernel(faulty& f) {
    program<Graph> p;
    f.attempt(
        [&] {
            p.graph.add_kernel(ag::after(p.set), test_kernels::scale_add(), ag::grid_for(100), 100, 1.0f, p.x.data(), p.x.data());
        },
        p.state(), [] { (void)test_kernels::scale_add(); });
    CHECK(p.result() == std::vector<float>(100, 3.0f));
}

template <class Graph>
void adding_a_host_function(faulty& f) {
    program<Graph> p;
    int calls = 0;
    f.attempt([&] { p.graph.add_host(ag::after(p.set), [&calls, keeps = std::make_unique<int>(1)] { calls += *keeps; }); },
              p.state());
    p.check_result();
    CHECK(calls == 1);
}

template <class Graph>
void adding_an_empty_node(faulty& f) {
    program<Graph> p;
    f.attempt([&] { p.graph.add_empty(ag::after(p.set)); }, p.state());
    p.check_result();
}

template <class Graph>
void adding_an_edge(faulty& f) {
    program<Graph> p;
    const auto last = p.graph.add_empty();
    f.attempt([&] { p.graph.add_dependency(p.set, last); }, [&] { return std::to_string(dependencies_of(last.get()).size()); });
    CHECK(dependencies_of(last.get()).size() == 1);
    p.check_result();
}

void adding_a_kernel_with_a_cluster_to_a_plain_graph(faulty& f) {
    ag::graph g;
    const auto before = g.add_empty();
    f.attempt(
        [&] {
            g.add_kernel(ag::after(before), test_kernels::nothing(),
                         ag::launch_config{.grid = {.x = 2}, .cluster = {.x = 2, .y = 1, .z = 1}});
        },
        [&] { return std::to_string(node_count(g.get())); }, [] { (void)test_kernels::nothing(); });
    CHECK(node_count(g.get()) == 2);
    g.add_empty(ag::after(before));
}

template <class Graph>
void adding_rows(faulty& f) {
    program<Graph> p;
    const ag::device_pitched<float> rows(p.x.data(), 10, 10);
    std::vector<float> host(100);
    std::optional<ag::memset_node> set;
    f.attempt([&] { set.emplace(p.graph.add_memset_2d(ag::after(p.set), rows, 2.5f)); }, p.state());
    f.attempt([&] { p.graph.add_memcpy_3d(ag::after(*set), ag::host_pitched<float>{host.data(), 10, 10}, rows); }, p.state());
    CHECK(p.result() == std::vector<float>(100, 2.5f));
    CHECK(host == std::vector<float>(100, 2.5f));
}

template <class Graph>
void adding_a_programmatic_edge(faulty& f) {
    program<Graph> p;
    const auto first = p.graph.add_kernel(ag::after(p.set), test_kernels::nothing(), ag::grid_for(1));
    const auto second = p.graph.add_kernel(test_kernels::nothing(), ag::grid_for(1));
    const auto edges = [&] {
        std::size_t count = 0;
        must(cuGraphGetEdges_v2(p.graph.get(), nullptr, nullptr, nullptr, &count), "cuGraphGetEdges_v2");
        return std::to_string(count);
    };
    f.attempt([&] { p.graph.add_programmatic_dependency(first, second); }, edges);
    CHECK(edges() == "3");
    p.check_result();
}

struct event {
    CUevent handle = nullptr;
    event() { must(cuEventCreate(&handle, CU_EVENT_DISABLE_TIMING), "cuEventCreate"); }
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    ~event() { cuEventDestroy_v2(handle); }
};

template <class Graph>
void adding_event_nodes(faulty& f) {
    program<Graph> p;
    const event marks;
    std::optional<ag::event_record_node> record;
    f.attempt([&] { record.emplace(p.graph.add_event_record(ag::after(p.set), marks.handle)); }, p.state());
    f.attempt([&] { p.graph.add_event_wait(ag::after(*record), marks.handle); }, p.state());
    p.check_result();
    CHECK(cuEventQuery(marks.handle) == CUDA_SUCCESS);
}

template <class Graph>
void adding_semaphore_nodes(faulty& f) {
    program<Graph> p;
    const std::vector<CUexternalSemaphore> semaphores(1, reinterpret_cast<CUexternalSemaphore>(std::uintptr_t{64}));
    const std::vector<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS> signal(1);
    const std::vector<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> wait(1);
    f.attempt([&] { p.graph.add_semaphore_signal(ag::after(p.set), semaphores, signal); }, p.state());
    f.attempt([&] { p.graph.add_semaphore_wait(ag::after(p.set), semaphores, wait); }, p.state());
    CHECK(node_count(p.graph.get()) == 4);
}

template <class Graph>
void adding_memory_operations(faulty& f) {
    program<Graph> p;
    CUdeviceptr flag = 0;
    must(cuMemAlloc_v2(&flag, 4), "cuMemAlloc_v2");
    CUstreamBatchMemOpParams write[1] = {};
    write[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    write[0].writeValue.address = flag;
    write[0].writeValue.value = 17;
    f.attempt([&] { p.graph.add_batch_mem_op(ag::after(p.set), write); }, p.state());
    p.check_result();
    std::uint32_t written = 0;
    must(cuMemcpyDtoH_v2(&written, flag, 4), "cuMemcpyDtoH_v2");
    CHECK(written == 17);
    must(cuMemFree_v2(flag), "cuMemFree_v2");
}

template <class Graph>
void adding_a_copied_child(faulty& f) {
    int calls = 0;
    Graph child;
    child.add_host([&calls] { ++calls; });
    Graph parent;
    const auto first = parent.add_empty();
    f.attempt([&] { parent.add_child(ag::after(first), child); },
              [&] { return std::to_string(node_count(parent.get())) + " " + std::to_string(node_count(child.get())); });
    const ag::stream stream;
    auto exec = parent.instantiate();
    exec.launch(stream);
    stream.synchronize();
    CHECK(calls == 1);
}

#if CUDA_VERSION >= 12090
template <class Graph>
void adding_a_moved_child(faulty& f) {
    program<Graph> p;
    Graph child;
    auto y = child.template add_alloc<float>(100, ag::named("y"));
    child.add_memset(ag::after(y), y.span(), 2.0f);
    std::optional<decltype(p.graph.add_child(ag::after(p.set), std::move(child)))> moved;
    f.attempt([&] { moved.emplace(p.graph.add_child(ag::after(p.set), std::move(child))); },
              [&] { return p.state()() + ", " + std::to_string(node_count(child.get())) + " in the child"; });
    CHECK(child.get() == nullptr);
    const auto inside = [&] { return std::to_string(node_count(moved->graph.get())); };
    f.attempt([&] { moved->graph.add_memset(p.x.span(), 4.0f); }, inside);
    p.graph.add_free(ag::after(moved->node), std::move(y));
    CHECK(p.result() == std::vector<float>(100, 4.0f));
}
#endif

template <class Graph>
void adding_conditionals(faulty& f) {
    program<Graph> p;
    std::optional<ag::condition> decides;
    f.attempt([&] { decides.emplace(p.graph.make_condition(1)); }, p.state());
    std::optional<decltype(p.graph.add_if(ag::after(p.set), *decides))> when;
    f.attempt([&] { when.emplace(p.graph.add_if(ag::after(p.set), *decides)); }, p.state());
    auto& body = when->body;
    const auto inside = [&] { return std::to_string(node_count(body.get())); };
    f.attempt([&] { body.add_memset(p.x.span(), 7.0f); }, inside);
    std::optional<ag::condition> inner;
    f.attempt([&] { inner.emplace(body.make_condition()); }, inside);
    f.attempt([&] { body.add_while({}, *inner); }, inside);
    auto choice = p.graph.make_condition(1);
    std::size_t bodies = 0;
    f.attempt([&] { bodies = p.graph.add_switch(ag::after(when->node), choice, 3).bodies.size(); }, p.state());
    CHECK(bodies == 3);
    auto branch = p.graph.make_condition(0);
    f.attempt([&] { p.graph.add_if_else(ag::after(when->node), branch); }, p.state());
    CHECK(p.result() == std::vector<float>(100, 7.0f));
}

const scenario all[] = {
    OF_BOTH(adding_an_allocation),
    OF_BOTH(adding_a_shared_allocation),
    OF_BOTH(adding_a_free),
    OF_ONE(adding_a_free_of_another_graph),
    OF_BOTH(adding_a_memset),
    OF_BOTH(adding_a_memcpy),
    OF_BOTH(adding_a_kernel),
    OF_ONE(adding_a_kernel_with_a_cluster_to_a_plain_graph),
    OF_BOTH(adding_a_host_function),
    OF_BOTH(adding_an_empty_node),
    OF_BOTH(adding_an_edge),
    OF_BOTH(adding_rows),
    OF_BOTH(adding_a_programmatic_edge),
    OF_BOTH(adding_event_nodes),
    OF_BOTH(adding_semaphore_nodes),
    OF_BOTH(adding_memory_operations),
    OF_BOTH_PLAIN(adding_a_copied_child),
#if CUDA_VERSION >= 12090
    OF_BOTH(adding_a_moved_child),
#endif
    OF_BOTH(adding_conditionals),
};

}  // namespace

std::span<const scenario> scenarios_of_nodes() { return all; }
