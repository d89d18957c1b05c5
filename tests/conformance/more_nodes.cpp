// Events, external semaphores, batches of memory operations, rows with pitches, programmatic edges.

#include "fixture.hpp"

#define GRAPHS ag::graph, ag::memory_graph, ag::unchecked_graph, ag::unchecked_memory_graph

namespace {

struct event {
    CUevent handle = nullptr;
    event() { must(cuEventCreate(&handle, CU_EVENT_DISABLE_TIMING), "cuEventCreate"); }
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    ~event() { cuEventDestroy_v2(handle); }
};

CUgraphNodeType type_of(const ag::node& n) {
    CUgraphNodeType type{};
    must(cuGraphNodeGetType(n.get(), &type), "cuGraphNodeGetType");
    return type;
}

}  // namespace

TEMPLATE_TEST_CASE("events are recorded and waited for", "[D1]", GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    const event marks;
    TestType g;
    auto record = g.add_event_record({}, marks.handle);
    auto wait = g.add_event_wait(ag::after(record), marks.handle);
    static_assert(std::same_as<decltype(record), ag::event_record_node> && std::same_as<decltype(wait), ag::event_wait_node>);
    CUevent held = nullptr;
    must(cuGraphEventRecordNodeGetEvent(record.get(), &held), "cuGraphEventRecordNodeGetEvent");
    CHECK(held == marks.handle);
    CHECK(dependencies_of(wait.get()) == std::vector{record.get()});
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(cuEventQuery(marks.handle) == CUDA_SUCCESS);
    CHECK(driver_error_of([] { ag::graph().add_event_record({}, nullptr); }).call() == std::string("cuGraphAddEventRecordNode"));
}

TEST_CASE("as many semaphores as sets of parameters", "[D5]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    const std::vector<CUexternalSemaphore> one(1);
    CHECK(std::string(misuse_of([&] { g.add_semaphore_signal({}, one, {}); }).rule()) == "D5");
    CHECK(std::string(misuse_of([&] { g.add_semaphore_wait({}, one, {}); }).rule()) == "D5");
    CHECK(node_count(g.get()) == 0);
    if (!allograph_reference_active()) {
        return;  // a GPU wants semaphores that are some
    }
    const CUexternalSemaphore semaphore = reinterpret_cast<CUexternalSemaphore>(std::uintptr_t{64});
    const std::vector<CUexternalSemaphore> semaphores(1, semaphore);
    auto signal = g.add_semaphore_signal({}, semaphores, std::vector<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>(1));
    auto wait = g.add_semaphore_wait(ag::after(signal), semaphores, std::vector<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>(1));
    CHECK(type_of(signal) == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
    CHECK(type_of(wait) == CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
}

namespace {

struct write_and_wait {
    CUstreamBatchMemOpParams list[2] = {};
    explicit write_and_wait(CUdeviceptr address) {
        list[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
        list[0].writeValue.address = address;
        list[0].writeValue.value = 17;
        list[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
        list[1].waitValue.address = address;
        list[1].waitValue.value = 17;
        list[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    }
};

}  // namespace

TEMPLATE_TEST_CASE("a batch of memory operations writes and waits in order", "[D1]", GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    CUdeviceptr memory = 0;
    must(cuMemAlloc_v2(&memory, 8), "cuMemAlloc_v2");
    {
        TestType g;
        auto set = g.add_memset({}, ag::device_span<std::uint32_t>(ag::device_ptr<std::uint32_t>(memory), 2), 0u);
        auto batch = g.add_batch_mem_op(ag::after(set), write_and_wait(memory).list);
        static_assert(std::same_as<decltype(batch), ag::batch_mem_op_node>);
        auto exec = std::move(g).instantiate();
        exec.launch(stream);
        std::uint32_t back[2] = {9, 9};
        must(cuMemcpyDtoHAsync_v2(back, memory, 8, stream), "cuMemcpyDtoHAsync_v2");
        must(cuStreamSynchronize(stream), "cuStreamSynchronize");
        CHECK(back[0] == 17);
        CHECK(back[1] == 0);
    }
    must(cuMemFree_v2(memory), "cuMemFree_v2");
}

TEST_CASE("a batch of memory operations names what it touches", "[O1][O3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<std::uint32_t>(2);
    const write_and_wait batch_of(x.data().address());
    const auto& operations = batch_of.list;
    CHECK(std::string(misuse_of([&] { g.add_batch_mem_op({}, operations, ag::uses(ag::writes(x))); }).rule()) == "O1");
    auto set = g.add_memset(ag::after(x), x.span(), 0u);
    auto batch = g.add_batch_mem_op(ag::after(set), operations, ag::uses(ag::writes(x)));
    CHECK(std::string(misuse_of([&] { g.add_free(ag::after(set), std::move(x)); }).rule()) == "O3");
    g.add_free(ag::after(batch), std::move(x));
    auto exec = std::move(g).instantiate();
    if (!allograph_reference_active()) {  // an H200 refuses such operations on memory of the graph itself when it is launched
        CHECK(driver_error_of([&] { exec.launch(stream); }).result() == CUDA_ERROR_INVALID_VALUE);
    }
}

TEMPLATE_TEST_CASE("rows with pitches are set and copied", "[O5]", ag::memory_graph, ag::unchecked_memory_graph) {
    const nothing_leaks guard;
    const ag::stream stream;
    TestType g;
    auto x = g.template add_alloc<int>(8 * 3 * 2);  // rows of 8, 3 a slice, 2 slices
    auto y = g.template add_alloc<int>(4 * 3 * 2);
    auto clear = g.add_memset(ag::after(x), x.span(), ag::zero);
    const ag::device_pitched<int> slice(x.data(), 4, 3, 1, 8 * sizeof(int));
    auto set = g.add_memset_2d(ag::after(clear), slice, 5);
    const int from[24] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const ag::device_pitched<int> all(x.data(), 4, 3, 2, 8 * sizeof(int));
    auto second = g.add_memcpy_3d(ag::after(set), ag::device_pitched<int>(x.data() + 24, 4, 3, 1, 8 * sizeof(int)),
                                  ag::host_pitched<const int>{from, 4, 3});
    auto pack = g.add_memcpy_3d(ag::after(second, y), ag::device_pitched<int>(y.data(), 4, 3, 2), all);
    int back[2 * 3 * 6] = {};
    auto out = g.add_memcpy_3d(ag::after(pack), ag::host_pitched<int>{back, 4, 3, 2, 6 * sizeof(int)},
                               ag::device_pitched<const int>(ag::device_pitched<int>(y.data(), 4, 3, 2)));
    g.add_free(ag::after(out), std::move(x));
    g.add_free(ag::after(out), std::move(y));
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(std::vector<int>(back, back + 36) == std::vector<int>{5, 5, 5, 5, 0, 0, 5, 5, 5, 5, 0, 0, 5, 5,  5,  5,  0, 0,
                                                                1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0, 9, 10, 11, 12, 0, 0});
}

TEST_CASE("rows stay inside of their allocation, and both sides agree", "[O5][O1]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(64);
    using rows = ag::device_pitched<float>;
    CHECK(std::string(misuse_of([&] { return rows(x.data(), 0, 1); }).rule()) == "O5");
    CHECK(std::string(misuse_of([&] { return rows(x.data(), 8, 9); }).rule()) == "O5");
    CHECK(std::string(misuse_of([&] { return rows(x.data() + 1, 8, 8); }).rule()) == "O5");
    CHECK(std::string(misuse_of([&] { return rows(x.data(), 8, 4, 2, 16); }).rule()) == "O5");
    CHECK(std::string(misuse_of([&] { return rows(x.data(), 2, SIZE_MAX / 2, 4); }).rule()) == "O5");
    const rows whole(x.data(), 8, 4, 2);
    CHECK(std::string(misuse_of([&] { g.add_memset_2d(ag::after(x), whole, 1.0f); }).rule()) == "O5");
    float host[64] = {};
    CHECK(std::string(misuse_of([&] { g.add_memcpy_3d(ag::after(x), whole, ag::host_pitched<float>{host, 8, 8}); }).rule()) ==
          "O5");
    CHECK(std::string(misuse_of([&] { g.add_memcpy_3d({}, whole, ag::host_pitched<float>{host, 8, 4, 2}); }).rule()) == "O1");
    CHECK(node_count(g.get()) == 1);
    CHECK(std::string(misuse_of([&] { return std::move(g).instantiate(); }).rule()) == "F10");
}

TEST_CASE("a programmatic edge joins kernels, and orders no memory", "[D8][D3][D6][O3]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(256);
    auto set = g.add_memset(ag::after(x), x.span(), 1.0f);
    auto first = g.add_kernel(ag::after(set), test_kernels::scale_add(), ag::grid_for(256), 256, 1.0f, x.data(), x.data());
    auto second = g.add_kernel(ag::after(set), test_kernels::nothing(), ag::grid_for(1));
    auto third = g.add_kernel(ag::after(set), test_kernels::nothing(), ag::grid_for(1));
    g.add_programmatic_dependency(first, second);
    g.add_programmatic_dependency(first, third, ag::programmatic::on_launch);
    std::size_t count = 0;
    must(cuGraphNodeGetDependencies_v2(second.get(), nullptr, nullptr, &count), "cuGraphNodeGetDependencies_v2");
    std::vector<CUgraphNode> from(count);
    std::vector<CUgraphEdgeData> data(count);
    must(cuGraphNodeGetDependencies_v2(second.get(), from.data(), data.data(), &count), "cuGraphNodeGetDependencies_v2");
    const std::size_t edge = from[0] == first.get() ? 0 : 1;
    CHECK(data[edge].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
    CHECK(data[edge].from_port == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);

    ag::graph other;
    auto foreign = other.add_kernel(test_kernels::nothing(), ag::grid_for(1));
    CHECK(std::string(misuse_of([&] { g.add_programmatic_dependency(first, foreign); }).rule()) == "D3");
    g.add_dependency(second, third);
    CHECK(std::string(misuse_of([&] { g.add_programmatic_dependency(second, third); }).rule()) == "D6");
    CHECK(std::string(misuse_of([&] { g.add_programmatic_dependency(third, second); }).rule()) == "D7");

    // The second kernel may end before the first has.
    CHECK(std::string(misuse_of([&] { g.add_free(ag::after(third), std::move(x)); }).rule()) == "O3");
    g.add_free(ag::after(first, third), std::move(x));
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
}
