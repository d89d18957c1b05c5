// Who may die before whom, allocations that cross graphs, and executables that give their graph back.

#include <optional>

#include "fixture.hpp"

#define MEMORY_GRAPHS ag::memory_graph, ag::unchecked_memory_graph

namespace {

template <class Graph>
struct producer {
    Graph graph;
    typename Graph::template token_of<float> x = graph.template add_alloc<float>(1000, ag::named("x"));
    ag::memset_node set = graph.add_memset(ag::after(x), x.span(), 2.5f);
};

}  // namespace

TEMPLATE_TEST_CASE("outputs outlive executable, graph and everything", "[X4]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    std::optional<ag::stream_buffer<float>> kept;
    {
        producer<TestType> p;
        auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
        auto [result] = exec.launch(stream);
        kept.emplace(std::move(result));
        CHECK(result.size() == 0);
    }
    CHECK(contents(*kept) == std::vector<float>(1000, 2.5f));
}

TEMPLATE_TEST_CASE("an executable may be destroyed while its work runs and its output lives", "[X13]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    constexpr int n = 1 << 20;
    TestType g;
    auto y = g.template add_alloc<float>(n);
    auto x = g.template add_alloc<float>(n);
    const auto y_set = g.add_memset(ag::after(y), y.span(), 0.0f);
    ag::node last = g.add_memset(ag::after(x), x.span(), 1.0f);
    last = g.add_empty(ag::after(last, y_set));
    for (int i = 0; i < 50; ++i) {
        last = g.add_kernel(ag::after(last), test_kernels::scale_add(), ag::grid_for(n), n, 1.0f, x.data(), y.data());
    }
    g.add_free(ag::after(last), std::move(x));
    auto buffer = [&] {
        auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));
        auto [result] = exec.launch(stream);
        return std::move(result);
    }();
    const std::vector<float> values = contents(buffer);
    CHECK(values.front() == 50.0f);
    CHECK(values.back() == 50.0f);
}

TEMPLATE_TEST_CASE("a plain graph may be destroyed before its executable", "[X5]", ag::graph, ag::unchecked_graph) {
    const nothing_leaks guard;
    const ag::stream stream;
    int runs = 0;
    auto exec = [&] {
        TestType g;
        g.add_host([&] { ++runs; });
        return g.instantiate();
    }();
    exec.launch(stream);
    stream.synchronize();
    CHECK(runs == 1);
}

TEST_CASE("one graph allocates, another uses and frees", "[X6][F4][F10]") {
    const nothing_leaks guard;
    const ag::stream stream;
    std::vector<float> host(1000);
    producer<ag::memory_graph> p;
    ag::memory_graph consumer;
    const std::string used = BELOW;
    const auto out = consumer.add_memcpy(host, p.x.span());
    const std::string line = BELOW;
    consumer.add_free(ag::after(out), std::move(p.x));
    CHECK(p.x.spent());
    auto makes = std::move(p.graph).instantiate();  // the other graph is its fate
    auto frees = std::move(consumer).instantiate();

    const std::size_t launches = allograph_reference_calls("cuGraphLaunch");
    const auto too_early = [&] {
        const ag::misuse mistake = misuse_of([&] { frees.launch(stream); });
        CHECK(mistake.rule() == std::string("X6"));
        CHECK_THAT(mistake.what(),
                   ContainsSubstring("x: float[1000], 3.9 KiB") && (ContainsSubstring(used) || ContainsSubstring(line)));
    };
    too_early();
    CHECK(allograph_reference_calls("cuGraphLaunch") == launches);
    for (int round = 0; round < 3; ++round) {
        std::fill(host.begin(), host.end(), 0.0f);
        makes.launch(stream);
        const ag::misuse mistake = misuse_of([&] { makes.launch(stream); });
        CHECK(mistake.rule() == std::string("X1"));
        CHECK_THAT(mistake.what(), ContainsSubstring("x: float[1000]"));
        frees.launch(stream);
        too_early();
        stream.synchronize();
        CHECK(host == std::vector<float>(1000, 2.5f));
    }
}

TEST_CASE("the freeing graph may be built and die in any order", "[X6][F4]") {
    const nothing_leaks guard;
    const ag::stream stream;
    SECTION("the producer moved and was launched before the consumer was instantiated") {
        producer<ag::memory_graph> p;
        ag::memory_graph moved = std::move(p.graph);
        ag::memory_graph consumer;
        consumer.add_free(std::move(p.x));
        auto makes = std::move(moved).instantiate();
        makes.launch(stream);
        auto frees = std::move(consumer).instantiate();
        frees.launch(stream);
        makes.launch(stream);
        frees.launch(stream);
    }
    SECTION("the producer's executable is gone when its memory is freed") {
        ag::memory_graph consumer;
        {
            producer<ag::memory_graph> p;
            consumer.add_free(std::move(p.x));
            auto makes = std::move(p.graph).instantiate();
            makes.launch(stream);
        }
        auto frees = std::move(consumer).instantiate();
        frees.launch(stream);
        CHECK(misuse_of([&] { frees.launch(stream); }).rule() == std::string("X6"));
    }
    stream.synchronize();
}

TEST_CASE("an allocation whose graph is gone cannot be freed by another", "[F4]") {
    const nothing_leaks guard;
    std::optional<producer<ag::memory_graph>> p(std::in_place);
    auto x = std::move(p->x);
    p.reset();
    ag::memory_graph consumer;
    std::string line;
    const ag::misuse mistake = misuse_of([&] { line = HERE, consumer.add_free(std::move(x)); });
    CHECK(mistake.rule() == std::string("F4"));
    CHECK_THAT(mistake.what(), ContainsSubstring(line));
    CHECK_FALSE(x.spent());
    CHECK(node_count(consumer.get()) == 0);
}

TEST_CASE("several graphs, several allocations", "[X6]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph first;
    ag::memory_graph second;
    ag::memory_graph last;
    auto x = first.add_alloc<int>(10, ag::named("x"));
    auto y = second.add_alloc<int>(10, ag::named("y"));
    auto z = second.add_alloc<int>(10, ag::named("z"));
    first.add_memset(ag::after(x), x.span(), 1);
    const auto copied = second.add_memcpy(ag::after(y), y.span(), x.span());
    second.add_free(ag::after(copied), std::move(x));
    second.add_memset(ag::after(z), z.span(), 3);
    std::vector<int> host(20);
    const auto out_y = last.add_memcpy(std::span(host).first(10), y.span());
    const auto out_z = last.add_memcpy(std::span(host).last(10), z.span());
    last.add_free(ag::after(out_y), std::move(y));
    last.add_free(ag::after(out_z), std::move(z));

    auto a = std::move(first).instantiate();
    auto b = std::move(second).instantiate();
    auto c = std::move(last).instantiate();
    CHECK_THROWS_AS(b.launch(stream), ag::misuse);
    a.launch(stream);
    CHECK_THROWS_AS(c.launch(stream), ag::misuse);
    b.launch(stream);
    a.launch(stream);
    CHECK_THAT(misuse_of([&] { b.launch(stream); }).what(), ContainsSubstring("'y'") || ContainsSubstring("y: int[10]"));
    c.launch(stream);
    stream.synchronize();
    CHECK(host[0] == 1);
    CHECK(host[19] == 3);
    b.launch(stream);
    c.launch(stream);
    stream.synchronize();
}

TEMPLATE_TEST_CASE("an executable gives its graph back, which can grow and be instantiated again", "[G5][G10]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    SECTION("without outputs") {
        producer<TestType> p;
        p.graph.add_free(ag::after(p.set), std::move(p.x));
        auto exec = std::move(p.graph).instantiate();
        exec.launch(stream);
        TestType graph = std::move(exec).release_graph();
        int runs = 0;
        graph.add_host(ag::after(p.set), [&] { ++runs; });
        auto again = std::move(graph).instantiate();
        again.launch(stream);
        again.launch(stream);
        stream.synchronize();
        CHECK(runs == 2);
    }
    SECTION("with a pack of outputs, which need a fate again") {
        producer<TestType> p;
        auto y = p.graph.template add_alloc<int>(1);
        auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x), std::move(y)));
        {
            auto results = exec.launch(stream);
        }
        auto [graph, x, second] = std::move(exec).release_graph();
        static_assert(std::same_as<decltype(x), typename TestType::template token_of<float>>);
        if constexpr (std::same_as<TestType, ag::memory_graph>) {
            CHECK_THAT(misuse_of([&g = graph] { (void)std::move(g).instantiate(); }).what(),
                       ContainsSubstring("2 allocations have no fate"));
        }
        const auto more = graph.add_memset(ag::after(p.set), x.span().first(1), 7.0f);
        CHECK(dependencies_of(more.get()) == std::vector{p.set.get()});
        auto again = std::move(graph).instantiate(ag::outputs(std::move(x), std::move(second)));
        for (int i = 0; i < 3; ++i) {
            auto [result, other] = again.launch(stream);
            CHECK(contents(result)[0] == 7.0f);
            CHECK(contents(result)[1] == 2.5f);
        }
    }
    SECTION("with a container of outputs") {
        TestType graph;
        std::vector<typename TestType::template token_of<int>> tokens;
        tokens.push_back(graph.template add_alloc<int>(1));
        tokens.push_back(graph.template add_alloc<int>(2));
        auto exec = std::move(graph).instantiate(ag::outputs(std::move(tokens)));
        auto [released, again] = std::move(exec).release_graph();
        REQUIRE(again.size() == 2);
        CHECK(again[1].size() == 2);
        auto second = std::move(released).instantiate(ag::auto_free(std::move(again)));
        CHECK(second.launch(stream).size() == 2);
    }
    SECTION("auto-freed memory is freed with its executable") {
        producer<TestType> p;
        auto exec = std::move(p.graph).instantiate(ag::auto_free(std::move(p.x)));
        exec.launch(stream);
        exec.launch(stream);
        auto [graph, x] = std::move(exec).release_graph();
        auto again = std::move(graph).instantiate(ag::outputs(std::move(x)));
        auto [result] = again.launch(stream);
        CHECK(contents(result) == std::vector<float>(1000, 2.5f));
        result.free();
        auto [graph_again, x_again] = std::move(again).release_graph();
        auto last = std::move(graph_again).instantiate(ag::auto_free(std::move(x_again)));
        last.launch(stream);
        last.launch(stream);
    }
    SECTION("an output that its graph frees from then on") {
        producer<TestType> p;
        auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
        {
            auto results = exec.launch(stream);
        }
        auto [graph, x] = std::move(exec).release_graph();
        if (free_former_output(graph, ag::after(p.set), x)) {
            auto again = std::move(graph).instantiate();
            again.launch(stream);
            again.launch(stream);
        } else {
            auto again = std::move(graph).instantiate(ag::auto_free(std::move(x)));
            again.launch(stream);
            again.launch(stream);
        }
    }
    stream.synchronize();
}

TEMPLATE_TEST_CASE("graphs and executables move", "[X4]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    producer<TestType> p;
    TestType moved = std::move(p.graph);
    TestType assigned;
    assigned.add_empty();
    assigned = std::move(moved);
    const auto more = assigned.add_memset(ag::after(p.set), p.x.span().first(2), 4.0f);  // nodes and tokens stay valid
    CHECK(dependencies_of(more.get()) == std::vector{p.set.get()});

    auto exec = std::move(assigned).instantiate(ag::auto_free(std::move(p.x)));
    exec.launch(stream);
    auto second = std::move(exec);
    auto [span] = second.launch(stream);
    CHECK(contents(span, stream)[1] == 4.0f);

    producer<TestType> q;
    auto other = std::move(q.graph).instantiate(ag::auto_free(std::move(q.x)));
    other.launch(stream);
    other = std::move(second);  // frees what it held
    auto [again] = other.launch(stream);
    CHECK(contents(again, stream)[1] == 4.0f);
    CHECK(contents(again, stream)[2] == 2.5f);
}

TEST_CASE("what was moved away says so", "[G10]") {
    const nothing_leaks guard;
    const ag::stream stream;
    producer<ag::memory_graph> p;
    p.graph.add_free(ag::after(p.set), std::move(p.x));
    auto exec = std::move(p.graph).instantiate();
    ag::memory_graph& gone = p.graph;
    const auto refused = [](auto&& action) { CHECK(misuse_of(action).rule() == std::string("G10")); };
    refused([&] { gone.add_empty(); });
    refused([&] { gone.add_host([] {}); });
    refused([&] { (void)gone.add_alloc<int>(1); });
    refused([&] { gone.add_dependency(p.set, p.set); });
    refused([&] { (void)std::move(gone).instantiate(); });
    producer<ag::memory_graph> q;
    refused([&] { gone.add_free(ag::after(q.set), std::move(q.x)); });
    CHECK_FALSE(q.x.spent());
    q.graph.add_free(ag::after(q.set), std::move(q.x));

    auto moved = std::move(exec);
    std::string line;
    const ag::misuse mistake = misuse_of([&] { line = HERE, exec.launch(stream); });
    CHECK(mistake.rule() == std::string("moved"));
    CHECK_THAT(mistake.what(), ContainsSubstring(line));
    moved.launch(stream);

    ag::unchecked_memory_graph unchecked;
    const ag::unchecked_memory_graph taken = std::move(unchecked);
    CHECK_THROWS_AS(unchecked.add_empty(), ag::driver_error);
}

namespace {

std::vector<ag::orphan>& lost() {
    static std::vector<ag::orphan> all;
    return all;
}

/// For its life, memory that nobody can free is written down.
class catches_orphans {
public:
    catches_orphans() { lost().clear(); }
    catches_orphans(const catches_orphans&) = delete;
    catches_orphans& operator=(const catches_orphans&) = delete;
    ~catches_orphans() { ag::set_orphan_handler(before_); }

private:
    ag::orphan_handler before_ = ag::set_orphan_handler([](const ag::orphan& memory) noexcept { lost().push_back(memory); });
};

}  // namespace

TEST_CASE("the graph that was to free an allocation dies before its launch", "[X1][X4][X6][F10]") {
    const nothing_leaks guard;
    const catches_orphans caught;
    const ag::stream stream;
    ag::memory_graph producer;
    auto x = producer.add_alloc<int>(100, ag::named("x"));
    const auto address = x.data().address();
    producer.add_memset(ag::after(x), x.span(), 3);
    std::optional<ag::memory_graph> consumer(std::in_place);
    consumer->add_free(std::move(x));
    using executable = decltype(std::move(producer).instantiate());
    SECTION("before the other is instantiated: its executable frees what its launches leave") {
        consumer.reset();
        auto makes = std::move(producer).instantiate();
        for (int i = 0; i < 3; ++i) {
            makes.launch(stream);
        }
        if (allograph_reference_active()) {
            CHECK(live_counts().allocations == 1);
        }
    }
    SECTION("while the memory lives: the next launch frees it") {
        auto makes = std::move(producer).instantiate();
        makes.launch(stream);
        CHECK(misuse_of([&] { makes.launch(stream); }).rule() == std::string("X1"));
        consumer.reset();
        makes.launch(stream);
        makes.launch(stream);
    }
    SECTION("with its executable, after launches that did free") {
        auto makes = std::move(producer).instantiate();
        {
            auto frees = std::move(*consumer).instantiate();
            makes.launch(stream);
            frees.launch(stream);
            CHECK(misuse_of([&] { frees.launch(stream); }).rule() == std::string("X6"));
            makes.launch(stream);
        }
        makes.launch(stream);
    }
    SECTION("the executable is released, and another one made") {
        auto makes = std::move(producer).instantiate();
        makes.launch(stream);
        consumer.reset();
        ag::memory_graph back = std::move(makes).release_graph();
        auto again = std::move(back).instantiate();
        again.launch(stream);
        again.launch(stream);
    }
    SECTION("the executable is gone first: nobody knows a stream any more, and the handler is told") {
        std::optional<executable> makes(std::move(producer).instantiate());
        makes->launch(stream);
        makes.reset();
        CHECK(lost().empty());
        consumer.reset();
        REQUIRE(lost().size() == 1);
        CHECK(lost()[0].address == address);
        CHECK(lost()[0].bytes == 400);
        CHECK(lost()[0].why == CUDA_ERROR_ILLEGAL_STATE);
        must(cuMemFreeAsync(address, stream), "cuMemFreeAsync");
        lost().clear();
    }
    SECTION("the executable is gone first, but its memory is freed in time") {
        std::optional<executable> makes(std::move(producer).instantiate());
        auto frees = std::move(*consumer).instantiate();
        makes->launch(stream);
        makes.reset();
        frees.launch(stream);
    }
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(lost().empty());
}
