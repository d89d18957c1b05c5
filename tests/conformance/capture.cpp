// Capturing into a graph: what is captured is found, checked and adopted, and a broken capture leaves no graph.

#include <optional>
#include <thread>

#include <catch2/generators/catch_generators.hpp>

#include <allograph/capture.hpp>

#include "fixture.hpp"

#define MEMORY_GRAPHS ag::memory_graph, ag::unchecked_memory_graph
#define ALL_GRAPHS MEMORY_GRAPHS, ag::graph, ag::unchecked_graph

namespace {

// Work as a library puts it on a stream.

void set(CUstream stream, CUdeviceptr to, unsigned value, std::size_t count) {
    must(cuMemsetD32Async(to, value, count, stream), "cuMemsetD32Async");
}
template <class T>
void set(CUstream stream, ag::device_span<T> to, unsigned value) {
    set(stream, to.data().address(), value, to.size());
}

/// y = a * x + y
void scale_add(CUstream stream, int n, float a, CUdeviceptr x, CUdeviceptr y) {
    void* arguments[] = {&n, &a, &x, &y};
    must(cuLaunchKernel(test_kernels::scale_add().function(), static_cast<unsigned>(n + 255) / 256, 1, 1, 256, 1, 1, 0, stream,
                        arguments, nullptr),
         "cuLaunchKernel");
}

CUdeviceptr allocate(CUstream stream, std::size_t bytes) {
    CUdeviceptr address = 0;
    must(cuMemAllocAsync(&address, bytes, stream), "cuMemAllocAsync");
    return address;
}

CUresult break_capture() {
    CUdeviceptr address = 0;
    return cuMemAlloc_v2(&address, 64);
}

CUstreamCaptureStatus status_of(CUstream stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    must(cuStreamIsCapturing(stream, &status), "cuStreamIsCapturing");
    return status;
}

class event {
public:
    event() { must(cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING), "cuEventCreate"); }
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    ~event() { cuEventDestroy_v2(event_); }
    /// Work on `to` from here on comes after all work on `from` up to here.
    void order(CUstream from, CUstream to) const {
        must(cuEventRecord(event_, from), "cuEventRecord");
        must(cuStreamWaitEvent(to, event_, 0), "cuStreamWaitEvent");
    }

private:
    CUevent event_ = nullptr;
};

/// A graph that allocates, and a launch that leaves its memory in a buffer.
struct one_output {
    ag::stream stream{};
    ag::memory_graph graph{};
    ag::graph_exec<ag::graph_kind::memory, ag::checking::on, ag::fate_list<ag::fate::output, ag::alloc_node<int>>> exec = [this] {
        auto x = graph.add_alloc<int>(100);
        graph.add_memset(ag::after(x), x.span(), 6);
        return std::move(graph).instantiate(ag::outputs(std::move(x)));
    }();
    ag::stream_buffer<int> launch() {
        auto [result] = exec.launch(stream);
        return std::move(result);
    }
};

int& orphans() {
    static int count = 0;
    return count;
}

class no_orphans {
public:
    no_orphans() : before_(ag::set_orphan_handler([](const ag::orphan&) noexcept { ++orphans(); })) { orphans() = 0; }
    no_orphans(const no_orphans&) = delete;
    no_orphans& operator=(const no_orphans&) = delete;
    ~no_orphans() {
        ag::set_orphan_handler(before_);
        CHECK(orphans() == 0);
    }

private:
    ag::orphan_handler before_;
};

}  // namespace

// ---- what works

TEMPLATE_TEST_CASE("a stream is captured into a graph, after one of its nodes", "[C11][C19]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    TestType g;
    auto x = g.template add_alloc<float>(1000);
    auto y = g.template add_alloc<float>(1000);
    const CUgraph handle = g.get();
    auto scope = std::move(g).capture(stream, ag::after(x, y));
    CHECK(scope.stream() == stream.get());
    set(stream, x.span(), 0x3f800000u);
    set(stream, y.span(), 0x40000000u);
    scope.check();
    scale_add(stream, 1000, 3.0f, x.data().address(), y.data().address());
    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    auto [graph, captured] = std::move(scope).end();

    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK(graph.get() == handle);
    CHECK(node_count(handle) == 5);
    REQUIRE(captured.after().size() == 1);
    graph.add_free(captured.after(), std::move(x));
    auto exec = std::move(graph).instantiate(ag::outputs(std::move(y)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<float>(1000, 5.0f));
}

TEMPLATE_TEST_CASE("a capture that holds nothing changes nothing", "[C11]", ALL_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    TestType g;
    const auto first = g.add_empty();
    auto [graph, captured] = std::move(g).capture(stream, ag::after(first)).end();
    REQUIRE(captured.after().size() == 1);
    CHECK(captured.after().front() == first);
    auto [again, nothing] = std::move(graph).capture(stream).end();
    CHECK(nothing.after().empty());
    const auto last = again.add_empty(captured.after());
    CHECK(dependencies_of(last.get()) == std::vector<CUgraphNode>{first.get()});
    CHECK(node_count(again.get()) == 2);
    const auto exec = std::move(again).instantiate();
}

TEST_CASE("captured nodes are listed behind their dependencies, those of joined streams too", "[C11]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::stream side;
    const event fork;
    const event join;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(100);
    auto y = g.add_alloc<int>(100);
    auto scope = std::move(g).capture(stream, ag::after(x, y));
    set(stream, x.span(), 1);
    fork.order(stream, side);
    set(side, y.span(), 2);
    set(stream, x.span(), 3);
    join.order(side, stream);
    auto [graph, captured] = std::move(scope).end();

    REQUIRE(captured.nodes().size() == 3);
    CHECK(captured.fully_read());
    CHECK(captured.after().size() == 2);
    std::vector<CUgraphNode> known{x.get(), y.get()};
    for (const ag::node& each : captured.nodes()) {
        for (const CUgraphNode before : dependencies_of(each.get())) {
            CHECK(std::find(known.begin(), known.end(), before) != known.end());
        }
        known.push_back(each.get());
    }
    graph.add_free(captured.after(), std::move(x));
    auto exec = std::move(graph).instantiate(ag::outputs(std::move(y)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<int>(100, 2));
}

TEMPLATE_TEST_CASE("a plain graph captures as well, and again", "[C11]", ag::graph, ag::unchecked_graph) {
    const nothing_leaks guard;
    const ag::stream stream;
    one_output memory;
    auto buffer = memory.launch();
    memory.stream.synchronize();
    TestType g;
    auto scope = std::move(g).capture(stream);
    set(stream, buffer.span(), 8);
    auto [graph, captured] = std::move(scope).end();
    auto second = std::move(graph).capture(stream, captured.after());
    set(stream, buffer.span().subspan(50, 50), 9);
    auto [whole, more] = std::move(second).end();
    CHECK(dependencies_of(more.after().front().get()) == std::vector<CUgraphNode>{captured.after().front().get()});
    {
        auto exec = whole.instantiate();
        exec.launch(stream);
        stream.synchronize();
    }
    std::vector<int> expected(100, 8);
    std::fill_n(expected.begin() + 50, 50, 9);
    CHECK(contents(buffer) == expected);
}

TEST_CASE("nodes that were added by hand behind the library's back are found as well", "[C11][D7]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(100);
    auto scope = std::move(g).capture(stream, ag::after(x));
    set(stream, x.span(), 1);
    const ag::driver::capture_info info = ag::driver::stream_get_capture_info(stream, {});
    CHECK(info.status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    REQUIRE(info.dependencies.size() == 1);
    const CUgraph handle = info.graph;
    const CUgraphNode captured_first = info.dependencies.front();
    CUgraphNode extra = nullptr;
    const CUgraphNode alloc = x.get();
    must(cuGraphAddEmptyNode(&extra, handle, &alloc, 1), "cuGraphAddEmptyNode");
    must(cuGraphAddDependencies_v2(handle, &extra, &captured_first, nullptr, 1),
         "cuGraphAddDependencies_v2");  // the first depends on the second
    SECTION("in whatever order") {
        auto [graph, captured] = std::move(scope).end();
        REQUIRE(captured.nodes().size() == 2);
        CHECK(captured.nodes()[0].get() == extra);
        CHECK(captured.nodes()[1].get() == captured_first);
        graph.add_free(captured.after(), std::move(x));
        const auto exec = std::move(graph).instantiate();
    }
    SECTION("in no order") {
        must(cuGraphAddDependencies_v2(handle, &captured_first, &extra, nullptr, 1), "cuGraphAddDependencies_v2");
        CHECK(misuse_of([&] { auto all = std::move(scope).end(); }).rule() == std::string("D7"));
        ag::memory_graph broken = std::move(scope).broken_graph();
        CHECK(misuse_of([&] { auto exec = std::move(broken).instantiate(ag::auto_free(std::move(x))); }).rule() ==
              std::string("C13"));
    }
}

TEST_CASE("the mode of a capture says whose calls break it", "[C13]") {
    const ag::stream stream;
    ag::graph g;
    auto scope = std::move(g).capture(stream, ag::capture_mode::unguarded);
    CUdeviceptr address = 0;
    must(cuMemAlloc_v2(&address, 64), "cuMemAlloc_v2");
    set(stream, address, 1, 16);
    scope.check();
    auto [graph, captured] = std::move(scope).end();
    CHECK(captured.nodes().size() == 1);
    must(cuMemFree_v2(address), "cuMemFree_v2");
}

TEST_CASE("an unguarded capture may end on another thread", "[C13]") {
    const nothing_leaks guard;
    const no_orphans here;
    const ag::stream stream;
    one_output program;
    std::optional<ag::stream_buffer<int>> buffer(program.launch());
    program.stream.synchronize();
    ag::graph g;
    auto scope = std::move(g).capture(stream, ag::capture_mode::unguarded);
    buffer.reset();
    CHECK_THROWS(program.launch());  // it waits
    std::thread([&] {
        const ag::stream needs_a_context;
        auto [graph, captured] = std::move(scope).end();
        CHECK(captured.nodes().empty());
    }).join();
    CHECK(program.launch().size() == 100);
}

// ---- what is captured is checked

TEST_CASE("captured work that is not ordered after an allocation is refused", "[O1][C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(100, ag::named("x"));
    auto y = g.add_alloc<float>(100, ag::named("y"));
    const std::string line = BELOW;
    auto scope = std::move(g).capture(stream, ag::after(x));
    scale_add(stream, 100, 1.0f, x.data().address(), y.data().address());
    const ag::misuse mistake = misuse_of([&] { auto all = std::move(scope).end(); });
    CHECK(mistake.rule() == std::string("O1"));
    CHECK_THAT(mistake.what(), ContainsSubstring("kernel 'scale_add' uses 'y'") && ContainsSubstring("captured   " + line) &&
                                   ContainsSubstring("fix: begin the capture after"));

    ag::memory_graph broken = std::move(scope).broken_graph();
    const ag::misuse refused =
        misuse_of([&] { auto exec = std::move(broken).instantiate(ag::outputs(std::move(x), std::move(y))); });
    CHECK(refused.rule() == std::string("C13"));
    CHECK_THAT(refused.what(), ContainsSubstring("rule O1") && ContainsSubstring(line));
    CHECK(misuse_of([&] { auto again = std::move(scope).broken_graph(); }).rule() == std::string("moved"));
}

TEST_CASE("captured work on freed memory is refused, and so is what took its place", "[O2][X9][C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(1000, ag::named("x"));
    const auto address = x.data().address();
    const auto freed = g.add_free(ag::after(x), std::move(x));
    auto y = g.add_alloc<float>(ag::after(freed), 1000, ag::named("y"));
    REQUIRE(y.data().address() == address);  // rule A12
    SECTION("after the free, beside the allocation that has its bytes now") {
        auto scope = std::move(g).capture(stream, ag::after(freed));
        scale_add(stream, 1000, 1.0f, address, address);
        const ag::misuse mistake = misuse_of([&] { auto all = std::move(scope).end(); });
        CHECK(mistake.rule() == std::string("O2"));
        CHECK_THAT(mistake.what(),
                   ContainsSubstring("uses 'x' after its free") && ContainsSubstring("[X9]") && ContainsSubstring("'y'"));
    }
    SECTION("after that allocation the bytes are its own") {
        auto scope = std::move(g).capture(stream, ag::after(y));
        scale_add(stream, 1000, 1.0f, address, address);
        auto ended = std::move(scope).end();
        auto& graph = ended.graph;
        auto& captured = ended.captured;
        CHECK(misuse_of([&] { graph.add_free(ag::after(y), std::move(y)); }).rule() == std::string("O3"));
        graph.add_free(captured.after(), std::move(y));
        const auto exec = std::move(graph).instantiate();
    }
}

TEST_CASE("a free by hand must come after captured users", "[O3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    std::vector<float> host(100);
    ag::memory_graph g;
    auto x = g.add_alloc<float>(100, ag::named("x"));
    auto y = g.add_alloc<float>(100, ag::named("y"));
    const std::string line = BELOW;
    auto scope = std::move(g).capture(stream, ag::after(x, y));
    set(stream, x.span(), 0);
    must(cuMemcpyDtoDAsync_v2(y.data().address(), x.data().address() + 200, 200, stream), "cuMemcpyDtoDAsync_v2");
    must(cuMemcpyDtoHAsync_v2(host.data(), y.data().address(), 400, stream), "cuMemcpyDtoHAsync_v2");
    auto ended = std::move(scope).end();
    auto& graph = ended.graph;
    auto& captured = ended.captured;
    REQUIRE(captured.nodes().size() == 3);
    const ag::misuse copied_from = misuse_of([&] { graph.add_free(ag::after(captured.nodes()[0]), std::move(x)); });
    CHECK(copied_from.rule() == std::string("O3"));
    CHECK_THAT(copied_from.what(), ContainsSubstring("memcpy") && ContainsSubstring(line));
    CHECK(misuse_of([&] { graph.add_free(ag::after(captured.nodes()[1]), std::move(y)); }).rule() == std::string("O3"));
    graph.add_free(ag::after(captured.nodes()[1]), std::move(x));
    graph.add_free(captured.after(), std::move(y));
    const auto exec = std::move(graph).instantiate();
}

TEST_CASE("every mistake of a capture is named", "[O1][O3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(100, ag::named("x"));
    auto y = g.add_alloc<int>(100, ag::named("y"));
    const auto user = g.add_memset(ag::after(x), x.span(), 0);
    auto scope = std::move(g).capture(stream, ag::after(x));
    set(stream, y.span(), 0);
    must(cuMemFreeAsync(x.data().address(), stream), "cuMemFreeAsync");
    const ag::misuse mistake = misuse_of([&] { auto all = std::move(scope).end(); });
    CHECK(mistake.rule() == std::string("O1"));
    CHECK_THAT(mistake.what(), ContainsSubstring("memset uses 'y'") && ContainsSubstring("also: [O3] the free of 'x'"));
    CHECK(user.get() != nullptr);
}

TEST_CASE("an argument inside of a struct is found, and integers are not taken for addresses", "[O1]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto to = g.add_alloc<double>(7);
    auto from = g.add_alloc<unsigned>(1);
    auto scope = std::move(g).capture(stream, ag::after(to, from));
    signed char a = 1;
    unsigned short b = 2;
    long long c = 3;
    double d = 4;
    parameter_pair e{5, 6.0f};
    CUdeviceptr source = from.data().address();
    CUdeviceptr target = to.data().address();
    void* arguments[] = {&a, &b, &c, &d, &e, &source, &target};
    must(cuLaunchKernel(test_kernels::parameters().function(), 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr),
         "cuLaunchKernel");
    auto ended = std::move(scope).end();
    auto& graph = ended.graph;
    auto& captured = ended.captured;
    CHECK(misuse_of([&] { graph.add_free(ag::after(to), std::move(to)); }).rule() == std::string("O3"));
    CHECK(misuse_of([&] { graph.add_free(ag::after(from), std::move(from)); }).rule() == std::string("O3"));
    graph.add_free(captured.after(), std::move(to));
    graph.add_free(captured.after(), std::move(from));
    const auto exec = std::move(graph).instantiate();
}

// ---- captured allocations and frees

TEMPLATE_TEST_CASE("a captured allocation is taken and given a fate", "[C12]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    TestType g;
    auto scope = std::move(g).capture(stream);
    const CUdeviceptr address = allocate(stream, 1000 * sizeof(float));
    const CUdeviceptr scratch = allocate(stream, 1000 * sizeof(float));
    set(stream, address, 0x3f800000u, 1000);
    set(stream, scratch, 0x40000000u, 1000);
    scale_add(stream, 1000, 2.0f, scratch, address);
    auto [graph, captured] = std::move(scope).end();

    auto x = captured.template take<float>(address);
    CHECK(x.size() == 1000);
    CHECK(x.data().address() == address);
    CHECK(x.get() != nullptr);
    auto y = captured.take(ag::device_ptr<float>(scratch));
    const auto more = graph.add_memset(captured.after(), y.span().subspan(0, 10), 0.0f);
    graph.add_free(ag::after(more), std::move(y));
    auto exec = std::move(graph).instantiate(ag::outputs(std::move(x)));
    for (int round = 0; round < 2; ++round) {
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<float>(1000, 5.0f));
    }
}

TEST_CASE("a captured allocation that nobody takes has no fate", "[F10][C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    const std::string line = BELOW;
    auto scope = std::move(g).capture(stream);
    const CUdeviceptr address = allocate(stream, 400);
    const CUdeviceptr other = allocate(stream, 100);
    must(cuMemFreeAsync(other, stream), "cuMemFreeAsync");
    auto ended = std::move(scope).end();
    auto& graph = ended.graph;
    auto& captured = ended.captured;
    const ag::misuse mistake = misuse_of([&] { auto exec = std::move(graph).instantiate(); });
    CHECK(mistake.rule() == std::string("F10"));
    CHECK_THAT(mistake.what(), ContainsSubstring("captured: byte[400], 400 bytes") && ContainsSubstring(line));
    auto x = captured.take<int>(address);
    CHECK(misuse_of([&] { auto exec = std::move(graph).instantiate(); }).rule() == std::string("F10"));
    const auto exec = std::move(graph).instantiate(ag::auto_free(std::move(x)));
}

TEST_CASE("what cannot be taken", "[F1][F2][F9][C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto mine = g.add_alloc<int>(100);
    auto scope = std::move(g).capture(stream, ag::after(mine));
    const CUdeviceptr address = allocate(stream, 402);
    const CUdeviceptr freed = allocate(stream, 5000);
    must(cuMemFreeAsync(freed, stream), "cuMemFreeAsync");
    auto ended = std::move(scope).end();
    auto& graph = ended.graph;
    auto& captured = ended.captured;
    const auto rule_of = [&](auto&& take) { return std::string(misuse_of(take).rule()); };
    CHECK(rule_of([&] { auto x = captured.take<int>(mine.data().address()); }) == "F2");
    CHECK(rule_of([&] { auto x = captured.take<char>(address + 1); }) == "F2");
    CHECK(rule_of([&] { auto x = captured.take<int>(address); }) == "F2");  // 402 bytes are no whole number of int
    CHECK(rule_of([&] { auto x = captured.take<int>(freed); }) == "F1");
    auto x = captured.take<char>(address);
    CHECK(rule_of([&] { auto y = captured.take<char>(address); }) == "F9");
    graph.add_free(captured.after(), std::move(x));
    graph.add_free(captured.after(), std::move(mine));
    const auto exec = std::move(graph).instantiate();
}

TEST_CASE("a free that is captured ends an allocation that was made by hand", "[C12][F1]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(100, ag::named("x"));
    const std::string line = BELOW;
    auto scope = std::move(g).capture(stream, ag::after(x));
    set(stream, x.span(), 1);
    must(cuMemFreeAsync(x.data().address(), stream), "cuMemFreeAsync");
    auto ended = std::move(scope).end();
    auto& graph = ended.graph;
    auto& captured = ended.captured;
    REQUIRE(captured.nodes().size() == 2);

    const ag::misuse again = misuse_of([&] { graph.add_free(captured.after(), std::move(x)); });
    CHECK(again.rule() == std::string("F1"));
    CHECK_THAT(again.what(), ContainsSubstring("'x' is freed already") && ContainsSubstring(line));
    CHECK(misuse_of([&] { graph.add_memset(captured.after(), x.span(), 0); }).rule() == std::string("O2"));
    ag::memory_graph other;
    CHECK(misuse_of([&] { other.add_free(std::move(x)); }).rule() == std::string("F1"));
    const ag::misuse output = misuse_of([&] { auto exec = std::move(graph).instantiate(ag::outputs(std::move(x))); });
    CHECK(output.rule() == std::string("F1"));
    CHECK_THAT(output.what(), ContainsSubstring("x: int[100]") && ContainsSubstring(line));
    auto exec = std::move(graph).instantiate();
    exec.launch(stream);
    exec.launch(stream);
    stream.synchronize();
}

TEST_CASE("a captured free beside users is refused", "[O3][O4][C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(100, ag::named("x"));
    const auto user = g.add_memset(ag::after(x), x.span(), 0);
    SECTION("not after a user") {
        auto scope = std::move(g).capture(stream, ag::after(x));
        must(cuMemFreeAsync(x.data().address(), stream), "cuMemFreeAsync");
        CHECK(misuse_of([&] { auto all = std::move(scope).end(); }).rule() == std::string("O3"));
    }
    SECTION("after the user") {
        auto scope = std::move(g).capture(stream, ag::after(user));
        must(cuMemFreeAsync(x.data().address(), stream), "cuMemFreeAsync");
        auto [graph, captured] = std::move(scope).end();
        const auto exec = std::move(graph).instantiate();
    }
}

TEST_CASE("a plain graph cannot keep captured allocations", "[C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::graph g;
    const std::string line = BELOW;
    auto scope = std::move(g).capture(stream);
    const CUdeviceptr address = allocate(stream, 400);
    must(cuMemFreeAsync(address, stream), "cuMemFreeAsync");
    const ag::misuse mistake = misuse_of([&] { auto all = std::move(scope).end(); });
    CHECK(mistake.rule() == std::string("kind"));
    CHECK_THAT(mistake.what(), ContainsSubstring("capture into a memory_graph") && ContainsSubstring(line));
    const ag::graph broken = std::move(scope).broken_graph();
    CHECK(misuse_of([&] { auto exec = broken.instantiate(); }).rule() == std::string("C13"));
}

// ---- how a capture begins

TEST_CASE("a capture begins after nodes of its graph", "[C19][D2][D3][D4][F9]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    ag::memory_graph other;
    const auto foreign = other.add_empty();
    const auto own = g.add_empty();
    const std::size_t begins = allograph_reference_calls("cuStreamBeginCaptureToGraph");
    std::string line;
    const ag::misuse mistake = misuse_of([&] {
        line = BELOW;
        auto scope = std::move(g).capture(stream, ag::after(foreign));
    });
    CHECK(mistake.rule() == std::string("D3"));
    CHECK_THAT(mistake.what(), ContainsSubstring("is a node of graph") && ContainsSubstring(line));
    CHECK(misuse_of([&] { auto scope = std::move(g).capture(stream, ag::after(own, own)); }).rule() == std::string("D2"));
    CHECK(misuse_of([&] { auto scope = std::move(g).capture(stream, ag::after(ag::node())); }).rule() == std::string("D4"));
    CHECK(misuse_of([&] { auto scope = std::move(g).capture(stream, ag::inferred); }).rule() == std::string("inferred"));
    CHECK(allograph_reference_calls("cuStreamBeginCaptureToGraph") == begins);
    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    g.add_empty(ag::after(own));  // it is as it was
    CHECK(node_count(g.get()) == 2);
}

TEMPLATE_TEST_CASE("a capture that cannot begin leaves the graph where it was", "[C19][C20]", ALL_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    TestType busy;
    TestType g;
    const auto first = g.add_empty();
    auto scope = std::move(busy).capture(stream);
    const ag::driver_error error = driver_error_of([&] { auto second = std::move(g).capture(stream, ag::after(first)); });
    CHECK(error.call() == std::string("cuStreamBeginCaptureToGraph"));
    auto [graph, captured] = std::move(scope).end();
    const auto last = g.add_empty(ag::after(first));
    CHECK(node_count(g.get()) == 2);
    const auto exec = std::move(g).instantiate();
    CHECK(last.get() != nullptr);
}

TEST_CASE("while a capture is open its graph is out of reach", "[C20]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto scope = std::move(g).capture(stream);
    CHECK(g.get() == nullptr);
    CHECK_THROWS_AS(g.add_empty(), ag::misuse);
    CHECK_THROWS_AS(std::move(g).capture(stream), ag::misuse);
    auto [graph, captured] = std::move(scope).end();
    CHECK(misuse_of([&] { auto again = std::move(scope).end(); }).rule() == std::string("moved"));
    graph.add_empty();
}

// ---- captures that break

TEMPLATE_TEST_CASE("a broken capture says so, and leaves no graph", "[C13]", ALL_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    TestType g;
    const auto first = g.add_empty();
    const std::string began = BELOW;
    auto scope = std::move(g).capture(stream, ag::after(first));
    CHECK(break_capture() == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    const ag::driver_error error = driver_error_of([&] { auto all = std::move(scope).end(); });
    CHECK(error.result() == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(error.call() == std::string("cuStreamEndCapture"));
    CHECK_THAT(error.what(), ContainsSubstring("broken by a call after " + began) && ContainsSubstring("cuMemAlloc"));
    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK_THROWS_AS(std::move(scope).broken_graph(), ag::misuse);
    CHECK_THROWS_AS(std::move(scope).end(), ag::misuse);
}

TEST_CASE("checks in between narrow down the call that broke a capture", "[C13]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::graph g;
    auto scope = std::move(g).capture(stream);
    scope.check();
    const std::string whole = BELOW;
    scope.check();
    break_capture();
    std::string line;
    const ag::driver_error seen = driver_error_of([&] {
        line = BELOW;
        scope.check();
    });
    CHECK(seen.result() == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK_THAT(seen.what(), ContainsSubstring("after " + whole) && ContainsSubstring("at " + line));
    const ag::driver_error error = driver_error_of([&] { auto all = std::move(scope).end(); });
    CHECK_THAT(error.what(), ContainsSubstring("after " + whole));
}

TEST_CASE("a stream that joined and was not joined back breaks the capture", "[C13]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::stream side;
    const event fork;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(100);
    auto scope = std::move(g).capture(stream, ag::after(x));
    set(stream, x.span(), 1);
    fork.order(stream, side);
    set(side, x.span(), 2);
    const ag::driver_error error = driver_error_of([&] { auto all = std::move(scope).end(); });
    CHECK(error.result() == CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    CHECK_THAT(error.what(), ContainsSubstring("not joined back"));
    ag::memory_graph other;  // the allocation went with its graph
    CHECK(misuse_of([&] { other.add_free(std::move(x)); }).rule() == std::string("F4"));
}

TEMPLATE_TEST_CASE("a scope that is left ends its capture and destroys its graph", "[C13][C20]", ALL_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    const auto leave = [&](bool broken) {
        TestType g;
        const auto first = g.add_empty();
        auto scope = std::move(g).capture(stream, ag::after(first));
        if (broken) {
            break_capture();
        }
        throw std::runtime_error("from inside");
    };
    CHECK_THROWS_WITH(leave(false), "from inside");
    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    CHECK_THROWS_WITH(leave(true), "from inside");
    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
    stream.synchronize();
}

TEST_CASE("a guarded capture that ends on another thread is lost", "[C13]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::graph g;
    auto scope = std::move(g).capture(stream);
    std::thread([&] {
        const ag::stream needs_a_context;
        const ag::driver_error error = driver_error_of([&] { auto all = std::move(scope).end(); });
        CHECK(error.result() == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
        CHECK_THAT(error.what(), ContainsSubstring("must end on the thread that began it"));
    }).join();
    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
}

// ---- destructors inside

TEST_CASE("buffers and executables that die inside of a capture wait for its end", "[C13][X10]") {
    const bool same_stream = GENERATE(false, true);
    const bool finish = GENERATE(true, false);
    const nothing_leaks guard;
    const no_orphans here;
    const ag::stream stream;
    std::optional<one_output> program(std::in_place);
    std::optional<ag::stream_buffer<int>> buffer(program->launch());
    program->stream.synchronize();
    const ag::stream freeing;
    buffer->set_stream(same_stream ? stream : freeing);

    const std::size_t frees = allograph_reference_calls("cuMemFreeAsync");
    const std::size_t destroyed = allograph_reference_calls("cuGraphExecDestroy");
    {
        ag::memory_graph g;
        auto scope = std::move(g).capture(stream);
        buffer.reset();
        std::optional<decltype(program->exec)> dying(std::move(program->exec));
        dying.reset();
        CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
        if (allograph_reference_active()) {
            CHECK(allograph_reference_calls("cuMemFreeAsync") == frees);
            CHECK(allograph_reference_calls("cuGraphExecDestroy") == destroyed);
        }
        if (finish) {
            auto [graph, captured] = std::move(scope).end();
            CHECK(captured.nodes().empty());
            CHECK(node_count(graph.get()) == 0);
        }
    }
    if (allograph_reference_active()) {
        CHECK(allograph_reference_calls("cuMemFreeAsync") == frees + 1);
        CHECK(allograph_reference_calls("cuGraphExecDestroy") == destroyed + 1);
    }
    stream.synchronize();
    freeing.synchronize();
}

TEST_CASE("the last memory of auto-free waits as well", "[C13][X3]") {
    const nothing_leaks guard;
    const no_orphans here;
    const ag::stream stream;
    const ag::stream other;
    auto exec = [&] {
        ag::memory_graph g;
        auto x = g.add_alloc<double>(10);
        return std::optional(std::move(g).instantiate(ag::auto_free(std::move(x))));
    }();
    exec->launch(other);
    other.synchronize();
    ag::graph g;
    auto scope = std::move(g).capture(stream);
    exec.reset();
    scope.check();
    auto [graph, captured] = std::move(scope).end();
    other.synchronize();
}

TEST_CASE("with two captures open on one thread, what waits waits for both", "[C13]") {
    const nothing_leaks guard;
    const no_orphans here;
    const ag::stream one;
    const ag::stream two;
    one_output program;
    std::optional<ag::stream_buffer<int>> buffer(program.launch());
    program.stream.synchronize();
    ag::graph g;
    ag::graph h;
    auto first = std::move(g).capture(one);
    auto second = std::move(h).capture(two);
    buffer.reset();
    auto [later, nothing] = std::move(second).end();
    first.check();
    CHECK(status_of(one) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    auto [earlier, none] = std::move(first).end();
    CHECK(program.launch().size() == 100);
}

TEST_CASE("a destructor breaks no capture that is not the library's", "[C13][X10]") {
    const nothing_leaks guard;
    const no_orphans here;
    const ag::stream stream;
    one_output program;
    std::optional<ag::stream_buffer<int>> buffer(program.launch());
    program.stream.synchronize();
    must(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), "cuStreamBeginCapture_v2");
    SECTION("of another thread") {
        std::thread([&] {
            const ag::stream needs_a_context;
            buffer.reset();
        }).join();
    }
    SECTION("of this thread, on another stream") {
        buffer.reset();
        std::optional<decltype(program.exec)> dying(std::move(program.exec));
        dying.reset();
    }
    CHECK(status_of(stream) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    CUgraph captured = nullptr;
    must(cuStreamEndCapture(stream, &captured), "cuStreamEndCapture");
    must(cuGraphDestroy(captured), "cuGraphDestroy");
}

// ---- reading back

TEST_CASE("a node of any graph is read back", "[C9][C12]") {
    const nothing_leaks guard;
    using ag::access;
    using ag::node_kind;
    ag::memory_graph g;
    std::vector<float> host(300);
    auto x = g.add_alloc<float>(300);
    auto y = g.add_alloc<float>(300);
    const auto zeroed = g.add_memset(ag::after(x), x.span().subspan(100, 50), 0.0f);
    const auto copied = g.add_memcpy(ag::after(zeroed, y), y.span(), x.span());
    const auto out = g.add_memcpy(ag::after(copied), host, y.span().subspan(0, 300));
    const auto kernel =
        g.add_kernel(ag::after(out), test_kernels::scale_add(), ag::grid_for(300), 300, 2.0f, x.data() + 8, y.data());
    const auto called = g.add_host(ag::after(kernel), [] {});
    const auto address = x.data().address();
    const auto other = y.data().address();
    const auto freed = g.add_free(ag::after(called), std::move(x));
    g.add_free(ag::after(called), std::move(y));

    ag::detail::node_reader<> reader({__FILE__, __LINE__});
    CHECK(ag::detail::node_reader<>::nodes_of(g.get(), {}).size() == 9);
    const auto same = [](const ag::detail::touched_memory& a, std::uint64_t at, std::uint64_t bytes, access how, bool exact) {
        return a.address == at && a.bytes == bytes && a.how == how && a.exact == exact;
    };
    {
        const auto& each = reader.read(zeroed.get());
        CHECK(each.kind == node_kind::memset);
        CHECK(each.dependencies.size() == 1);
        REQUIRE(each.memory.size() == 1);
        CHECK(same(each.memory[0], address + 400, 200, access::write, true));
    }
    {
        const auto& each = reader.read(copied.get());
        CHECK(each.kind == node_kind::memcpy);
        CHECK(each.dependencies.size() == 2);
        REQUIRE(each.memory.size() == 2);
        CHECK(same(each.memory[0], address, 1200, access::read, true));
        CHECK(same(each.memory[1], other, 1200, access::write, true));
    }
    CHECK(reader.read(out.get()).memory.size() == 1);
    {
        const auto& each = reader.read(kernel.get());
        CHECK(each.kind == node_kind::kernel);
        CHECK(each.name == std::string("scale_add"));
        if (ag::driver::knows_parameter_layouts) {
            CHECK(each.complete);
            REQUIRE(each.memory.size() == 2);
            CHECK(same(each.memory[0], address + 32, 1, access::write, false));
            CHECK(same(each.memory[1], other, 1, access::write, false));
        }
    }
    CHECK(reader.read(called.get()).kind == node_kind::host);
    CHECK(reader.read(called.get()).memory.empty());
    {
        const auto& each = reader.read(freed.get());
        CHECK(each.kind == node_kind::free);
        CHECK(each.address == address);
    }
    for (const CUgraphNode node : ag::detail::node_reader<>::nodes_of(g.get(), {})) {
        const auto& each = reader.read(node);
        CHECK(each.complete);
        if (each.kind == node_kind::alloc) {
            CHECK(each.bytes == 1200);
            CHECK(each.device == 0);
            CHECK((each.address == address || each.address == other));
            CHECK(each.dependencies.empty());
        }
    }
}

TEST_CASE("a kernel of a library, and one whose arguments were packed, are read back", "[C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    one_output program;
    auto buffer = program.launch();
    program.stream.synchronize();
    const CUdeviceptr address = buffer.data().address();
    ag::graph g;
    const auto of_a_library = g.add_kernel(test_kernels::scale_add_of_a_library(), ag::grid_for(1), 1, 1.0f,
                                           ag::device_ptr<float>(address), ag::device_ptr<float>(address + 4));
    auto scope = std::move(g).capture(stream);
    struct {
        int n = 1;
        float a = 1;
        CUdeviceptr x;
        CUdeviceptr y;
    } packed{1, 1.0f, address, address + 4};
    std::size_t size = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    must(cuLaunchKernel(test_kernels::scale_add().function(), 1, 1, 1, 1, 1, 1, 0, stream, nullptr, extra), "cuLaunchKernel");
    auto [graph, captured] = std::move(scope).end();
    ag::detail::node_reader<> reader({__FILE__, __LINE__});
    for (const CUgraphNode node : {of_a_library.get(), captured.nodes().front().get()}) {
        const auto& each = reader.read(node);
        CHECK(each.name == std::string("scale_add"));
        if (ag::driver::knows_parameter_layouts) {
            CHECK(each.complete);
            REQUIRE(each.memory.size() == 2);
            CHECK(each.memory[0].address == address);
            CHECK(each.memory[1].address == address + 4);
        }
    }
}

TEST_CASE("the nodes of a child count for the child node", "[C9]") {
    const nothing_leaks guard;
    one_output program;
    auto buffer = program.launch();
    program.stream.synchronize();
    ag::graph inner;
    inner.add_memset(buffer.span(), 1);
    inner.add_memset(buffer.span().subspan(10, 10), 1);
    ag::graph outer;
    CUgraphNode child = nullptr;
    must(cuGraphAddChildGraphNode(&child, outer.get(), nullptr, 0, inner.get()), "cuGraphAddChildGraphNode");
    ag::detail::node_reader<> reader({__FILE__, __LINE__});
    const auto& each = reader.read(child);
    CHECK(each.kind == ag::node_kind::child);
    REQUIRE(each.memory.size() == 2);
    CHECK(each.memory[0].bytes + each.memory[1].bytes == 440);
}

TEST_CASE("a box of rows reaches from its first byte to its last", "[O5]") {
    const nothing_leaks guard;
    ag::graph g;
    CUDA_MEMSET_NODE_PARAMS parameters{};
    one_output program;
    auto buffer = program.launch();
    program.stream.synchronize();
    parameters.dst = buffer.data().address();
    parameters.pitch = 40;
    parameters.elementSize = 4;
    parameters.width = 5;
    parameters.height = 10;
    CUcontext context = nullptr;
    must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    CUgraphNode node = nullptr;
    must(cuGraphAddMemsetNode(&node, g.get(), nullptr, 0, &parameters, context), "cuGraphAddMemsetNode");
    ag::detail::node_reader<> reader({__FILE__, __LINE__});
    REQUIRE(reader.read(node).memory.size() == 1);
    CHECK(reader.read(node).memory[0].bytes == 9 * 40 + 20);
}

TEST_CASE("an address belongs to the latest allocation that is live at a node", "[A12]") {
    using ag::detail::lifetime;
    ag::detail::address_map map;
    const auto none = [](std::uint32_t) { return lifetime::live; };
    CHECK(map.find(0, none) == ag::detail::address_map::nobody);
    map.add(5000, 1000, 0);
    map.add(1000, 1000, 1);  // not in order of address
    map.add(1000, 500, 2);   // in the place of 1
    map.add(1500, 500, 3);
    std::vector<lifetime> at(4, lifetime::live);
    const auto known = [&](std::uint32_t a) { return at[a]; };
    CHECK(map.find(999, known) == ag::detail::address_map::nobody);
    CHECK(map.find(2000, known) == ag::detail::address_map::nobody);
    CHECK(map.find(5000, known) == 0);
    CHECK(map.find(5999, known) == 0);
    CHECK(map.find(6000, known) == ag::detail::address_map::nobody);
    CHECK(map.find(1000, known) == 2);
    CHECK(map.find(1999, known) == 3);
    at[2] = lifetime::pending;
    CHECK(map.find(1000, known) == 1);
    at[1] = lifetime::freed;
    CHECK(map.find(1000, known) == 1);
    at[2] = lifetime::freed;
    CHECK(map.find(1499, known) == 2);
    at[1] = at[2] = lifetime::pending;
    CHECK(map.find(1499, known) == 2);
}

TEST_CASE("what is captured into a body counts for the graph around it", "[C9][O3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(4, ag::named("outer"));
    auto decides = g.make_condition(1);
    auto when = g.add_if(ag::after(x), decides);
    auto scope = std::move(when.body).capture(stream);
    must(cuMemsetD32Async(x.data().address(), 5, 4, stream), "cuMemsetD32Async");
    auto [body, captured] = std::move(scope).end();
    CHECK(captured.nodes().size() == 1);
    const ag::misuse early = misuse_of([&] { g.add_free(ag::after(x), std::move(x)); });
    CHECK(early.rule() == std::string("O3"));
    CHECK_THAT(early.what(), ContainsSubstring("conditional"));
    SECTION("an output") {
        auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<int>(4, 5));
    }
    SECTION("freed behind the conditional") {
        g.add_free(ag::after(when.node), std::move(x));
        auto exec = std::move(g).instantiate();
        exec.launch(stream);
        exec.launch(stream);
        must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    }
}

TEST_CASE("what is captured into a body breaks the order of the graph around it", "[C9][C13][O1]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(4, ag::named("outer"));
    auto decides = g.make_condition(1);
    auto when = g.add_if({}, decides);  // beside the allocation
    auto scope = std::move(when.body).capture(stream);
    must(cuMemsetD32Async(x.data().address(), 5, 4, stream), "cuMemsetD32Async");
    const ag::misuse wrong = misuse_of([&] { (void)std::move(scope).end(); });
    CHECK(wrong.rule() == std::string("O1"));
    CHECK_THAT(wrong.what(), ContainsSubstring("outer") && ContainsSubstring("conditional"));
    // The nodes are in the body for good: the graph around it is not to run.
    CHECK(misuse_of([&] { (void)std::move(g).instantiate(ag::outputs(std::move(x))); }).rule() == std::string("C13"));
}

// The driver crashes when it destroys what is left around the body: the library does not let it.
TEST_CASE("a broken capture into a body: the graph around it is not run and not destroyed", "[C13]") {
    const ag::stream stream;
    ag::graph g;
    auto decides = g.make_condition(1);
    auto when = g.add_if({}, decides);
    auto scope = std::move(when.body).capture(stream);
    CUdeviceptr memory = 0;
    CHECK(cuMemAlloc_v2(&memory, 64) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    CHECK(driver_error_of([&] { (void)std::move(scope).end(); }).result() == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(misuse_of([&] { (void)g.instantiate(); }).rule() == std::string("C13"));
}

TEST_CASE("a capture into a body that is given up leaves no graph that looks whole", "[C13]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::graph g;
    auto decides = g.make_condition(1);
    auto when = g.add_if({}, decides);
    {
        const auto scope = std::move(when.body).capture(stream);
    }
    const ag::misuse broken = misuse_of([&] { (void)g.instantiate(); });
    CHECK(broken.rule() == std::string("C13"));
    CHECK_THAT(broken.what(), ContainsSubstring("given up"));
}

#if CUDA_VERSION >= 12090
TEST_CASE("what is captured into a moved child counts for its parent", "[C9][O1][O3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph parent;
    auto x = parent.add_alloc<int>(4, ag::named("parent's"));
    auto late = parent.add_alloc<int>(4, ag::named("late"));
    auto inside = parent.add_child(ag::after(x), ag::memory_graph{});
    {
        auto scope = std::move(inside.graph).capture(stream);
        must(cuMemsetD32Async(x.data().address(), 6, 4, stream), "cuMemsetD32Async");
        auto [child, captured] = std::move(scope).end();
        inside.graph = std::move(child);
        CHECK(captured.nodes().size() == 1);
    }
    CHECK(misuse_of([&] { parent.add_free(ag::after(x), std::move(x)); }).rule() == std::string("O3"));
    SECTION("and runs") {
        parent.add_free(ag::after(late), std::move(late));
        auto exec = std::move(parent).instantiate(ag::outputs(std::move(x)));
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<int>(4, 6));
    }
    SECTION("or is found out of order") {
        auto scope = std::move(inside.graph).capture(stream);
        must(cuMemsetD32Async(late.data().address(), 6, 4, stream), "cuMemsetD32Async");
        const ag::misuse wrong = misuse_of([&] { (void)std::move(scope).end(); });
        CHECK(wrong.rule() == std::string("O1"));
        CHECK_THAT(wrong.what(), ContainsSubstring("late") && ContainsSubstring("child"));
    }
}
#endif

TEST_CASE("a captured free of another graph's allocation is its fate", "[C12][F1][F2][F3][F4][F10][X1][X6]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph producer;
    auto x = producer.add_alloc<int>(100, ag::named("x"));
    auto y = producer.add_alloc<int>(100, ag::named("y"));
    const auto set = producer.add_memset(ag::after(x), x.span(), 3);
    ag::memory_graph consumer;
    auto own = consumer.add_alloc<int>(8);
    std::vector<int> host(100);
    auto scope = std::move(consumer).capture(stream, ag::after(own));
    must(cuMemcpyDtoHAsync_v2(host.data(), x.data().address(), 400, stream), "cuMemcpyDtoHAsync_v2");
    must(cuMemFreeAsync(x.data().address(), stream), "cuMemFreeAsync");
    auto [graph, captured] = std::move(scope).end();
    CHECK(misuse_of([&] { captured.freed(std::move(y)); }).rule() == std::string("F2"));
    CHECK(misuse_of([&] { captured.freed(std::move(own)); }).rule() == std::string("F2"));
    CHECK_FALSE(x.spent());
    captured.freed(std::move(x));
    CHECK(x.spent());
    CHECK(misuse_of([&] { captured.freed(std::move(x)); }).rule() == std::string("F9"));
    producer.add_free(ag::after(set, y), std::move(y));
    graph.add_free(captured.after(), std::move(own));
    auto makes = std::move(producer).instantiate();
    auto frees = std::move(graph).instantiate();
    CHECK(misuse_of([&] { frees.launch(stream); }).rule() == std::string("X6"));
    for (int i = 0; i < 2; ++i) {
        makes.launch(stream);
        CHECK(misuse_of([&] { makes.launch(stream); }).rule() == std::string("X1"));
        frees.launch(stream);
        CHECK(misuse_of([&] { frees.launch(stream); }).rule() == std::string("X6"));
    }
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(host == std::vector<int>(100, 3));
}
