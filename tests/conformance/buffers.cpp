// stream_buffer: the owner of an output, and what happens to memory that it cannot free.

#include <cstdio>
#include <optional>

#include "fixture.hpp"

namespace {

struct one_output {
    ag::stream stream{};
    ag::memory_graph graph{};
    ag::graph_exec<ag::graph_kind::memory, ag::checking::on, ag::fate_list<ag::fate::output, ag::alloc_node<int>>> exec = [this] {
        auto x = graph.add_alloc<int>(100, ag::named("x"));
        graph.add_memset(ag::after(x), x.span(), 6);
        return std::move(graph).instantiate(ag::outputs(std::move(x)));
    }();
    ag::stream_buffer<int> launch() {
        auto [result] = exec.launch(stream);
        return std::move(result);
    }
};

std::vector<ag::orphan>& orphans() {
    static std::vector<ag::orphan> all;
    return all;
}

/// Takes what destructors cannot free, for the life of the test.
class orphanage {
public:
    orphanage() : before_(ag::set_orphan_handler([](const ag::orphan& lost) noexcept { orphans().push_back(lost); })) {
        orphans().clear();
    }
    orphanage(const orphanage&) = delete;
    orphanage& operator=(const orphanage&) = delete;
    ~orphanage() { ag::set_orphan_handler(before_); }

private:
    ag::orphan_handler before_;
};

}  // namespace

TEST_CASE("a buffer knows its memory", "[X8][X10]") {
    const nothing_leaks guard;
    one_output program;
    auto buffer = program.launch();
    CHECK(buffer.size() == 100);
    CHECK(buffer.size_bytes() == 400);
    CHECK(buffer.span().size() == 100);
    CHECK(buffer.data().address() == buffer.span().data().address());
    CHECK(buffer.data().known_elements() == 100);
    CHECK(buffer.stream() == program.stream.get());
    must(cuMemsetD32Async(buffer.data().address(), 8, 50, program.stream), "cuMemsetD32Async");
    std::vector<int> expected(100, 6);
    std::fill_n(expected.begin(), 50, 8);
    CHECK(contents(buffer) == expected);
}

TEST_CASE("a buffer frees once, by hand or by itself", "[F8]") {
    const nothing_leaks guard;
    one_output program;
    auto buffer = program.launch();
    const std::size_t frees = allograph_reference_calls("cuMemFreeAsync");
    buffer.free();
    CHECK(buffer.size() == 0);
    CHECK_FALSE(buffer.data());
    buffer.free();
    if (allograph_reference_active()) {
        CHECK(allograph_reference_calls("cuMemFreeAsync") == frees + 1);
    }
    {
        const auto again = program.launch();
    }
    if (allograph_reference_active()) {
        CHECK(allograph_reference_calls("cuMemFreeAsync") == frees + 2);
    }
    auto last = program.launch();
    CHECK(contents(last) == std::vector<int>(100, 6));
}

TEST_CASE("buffers move, and swap when assigned", "[F8]") {
    const nothing_leaks guard;
    one_output program;
    one_output other;
    auto buffer = program.launch();
    auto moved = std::move(buffer);
    CHECK(buffer.size() == 0);
    CHECK(moved.size() == 100);
    CHECK_THROWS_AS(program.exec.launch(program.stream), ag::misuse);

    auto second = other.launch();
    const auto address = second.data().address();
    moved = std::move(second);
    CHECK(moved.data().address() == address);
    CHECK(moved.stream() == other.stream.get());
    moved.free();
    CHECK(other.launch().size() == 100);
    second.free();
    CHECK(program.launch().size() == 100);
    program.stream.synchronize();
    other.stream.synchronize();
}

TEST_CASE("a buffer may be freed on another stream", "[X10]") {
    const nothing_leaks guard;
    const ag::stream other;
    one_output program;
    auto buffer = program.launch();
    program.stream.synchronize();
    buffer.set_stream(other);
    CHECK(buffer.stream() == other.get());
    CHECK(contents(buffer) == std::vector<int>(100, 6));
    buffer.free();
    other.synchronize();
    CHECK(program.launch().size() == 100);
}

TEST_CASE("released memory belongs to whoever took its address", "[X3][F8]") {
    const nothing_leaks guard;
    one_output program;
    CUdeviceptr address = 0;
    {
        auto buffer = program.launch();
        address = buffer.release().address();
        CHECK(buffer.size() == 0);
    }
    program.stream.synchronize();
    int value = 0;
    must(cuMemcpyDtoH_v2(&value, address, sizeof value), "cuMemcpyDtoH_v2");
    CHECK(value == 6);
    CHECK(driver_error_of([&] { (void)program.launch(); }).result() ==
          CUDA_ERROR_INVALID_VALUE);  // the library does not track it any more
    must(cuMemFree_v2(address), "cuMemFree_v2");
    CHECK(program.launch().size() == 100);
}

TEST_CASE("a copy to the host fits exactly", "[O5]") {
    const nothing_leaks guard;
    one_output program;
    auto buffer = program.launch();
    std::vector<int> small(99);
    std::vector<int> large(101);
    std::string line;
    const ag::misuse mistake = misuse_of([&] { line = HERE, buffer.copy_to(small); });
    CHECK(mistake.rule() == std::string("O5"));
    CHECK_THAT(mistake.what(), ContainsSubstring(line));
    CHECK_THROWS_AS(buffer.copy_to(large), ag::misuse);
    int array[100] = {};
    buffer.copy_to(array);
    program.stream.synchronize();
    CHECK(array[99] == 6);
    buffer.free();
    CHECK_THROWS_AS(buffer.copy_to(array), ag::misuse);
}

TEST_CASE("a buffer that dies while its stream captures goes to the orphan handler", "[C13][X10]") {
    const nothing_leaks guard;
    const orphanage here;
    one_output program;
    std::optional<ag::stream_buffer<int>> buffer(program.launch());
    const auto address = buffer->data().address();

    must(cuStreamBeginCapture_v2(program.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture_v2");
    buffer.reset();
    CUgraph captured = nullptr;
    must(cuStreamEndCapture(program.stream, &captured), "cuStreamEndCapture");  // the capture is as it was
    CHECK(node_count(captured) == 0);
    must(cuGraphDestroy(captured), "cuGraphDestroy");

    REQUIRE(orphans().size() == 1);
    CHECK(orphans()[0].address == address);
    CHECK(orphans()[0].bytes == 400);
    CHECK(orphans()[0].why == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    must(cuMemFreeAsync(orphans()[0].address, program.stream), "cuMemFreeAsync");
    CHECK(program.launch().size() == 100);
}

TEST_CASE("the last memory of auto-free goes to the orphan handler during a capture", "[X3][C13]") {
    const nothing_leaks guard;
    const orphanage here;
    const ag::stream stream;
    {
        ag::memory_graph g;
        auto x = g.add_alloc<double>(10);
        auto y = g.add_alloc<char>(7);
        auto exec = std::move(g).instantiate(ag::auto_free(std::move(x), std::move(y)));
        exec.launch(stream);
        must(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture_v2");
    }
    CUgraph captured = nullptr;
    must(cuStreamEndCapture(stream, &captured), "cuStreamEndCapture");
    must(cuGraphDestroy(captured), "cuGraphDestroy");
    REQUIRE(orphans().size() == 2);
    CHECK(orphans()[0].bytes + orphans()[1].bytes == 87);
    for (const ag::orphan& lost : orphans()) {
        CHECK(lost.why == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        must(cuMemFreeAsync(lost.address, stream), "cuMemFreeAsync");
    }
    stream.synchronize();
}

TEST_CASE("the handler of orphans can be set and set back", "[X10]") {
    const ag::orphan_handler mine = [](const ag::orphan&) noexcept {};
    const ag::orphan_handler standard = ag::set_orphan_handler(mine);
    CHECK(ag::set_orphan_handler(nullptr) == mine);
    CHECK(ag::set_orphan_handler(mine) == standard);
    ag::set_orphan_handler(standard);
}
