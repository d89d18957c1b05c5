// Raw handles, in and out.

#include <allograph/graph/adopt.hpp>

#include "fixture.hpp"

namespace {

CUgraph new_graph() {
    const ag::stream needs_a_driver;
    CUgraph made = nullptr;
    must(cuGraphCreate(&made, 0), "cuGraphCreate");
    return made;
}

CUDA_MEM_ALLOC_NODE_PARAMS raw_alloc(CUgraph graph, CUgraphNode& node, std::size_t bytes) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.bytesize = bytes;
    must(cuGraphAddMemAllocNode(&node, graph, nullptr, 0, &parameters), "cuGraphAddMemAllocNode");
    return parameters;
}

CUgraphNode raw_memset(CUgraph graph, CUdeviceptr address, std::size_t bytes, std::vector<CUgraphNode> after) {
    CUDA_MEMSET_NODE_PARAMS parameters{};
    parameters.dst = address;
    parameters.elementSize = 1;
    parameters.width = bytes;
    parameters.height = 1;
    parameters.value = 3;
    CUcontext context = nullptr;
    must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    CUgraphNode node = nullptr;
    must(cuGraphAddMemsetNode(&node, graph, after.data(), after.size(), &parameters, context), "cuGraphAddMemsetNode");
    return node;
}

}  // namespace

TEMPLATE_TEST_CASE("an adopted graph is owned, checked, and its allocations are taken", "[F10][O3][F1][F9]", ag::memory_graph,
                   ag::unchecked_memory_graph) {
    const nothing_leaks guard;
    const ag::stream stream;
    const CUgraph raw = new_graph();
    CUgraphNode left = nullptr;
    CUgraphNode freed = nullptr;
    const CUdeviceptr address = raw_alloc(raw, left, 64).dptr;
    const CUgraphNode set = raw_memset(raw, address, 64, {left});
    const CUdeviceptr other = raw_alloc(raw, freed, 32).dptr;
    CUgraphNode free = nullptr;
    must(cuGraphAddMemFreeNode(&free, raw, &freed, 1, other), "cuGraphAddMemFreeNode");

    auto adopted = TestType::adopt(raw);
    CHECK(adopted.graph.get() == raw);
    auto x = adopted.template take<std::uint8_t>(address);
    CHECK(x.size() == 64);
    CHECK(std::string(misuse_of([&] { (void)adopted.template take<std::uint8_t>(address); }).rule()) == "F9");
    CHECK(std::string(misuse_of([&] { (void)adopted.template take<int>(address + 4); }).rule()) == "F2");
    if constexpr (std::same_as<TestType, ag::memory_graph>) {
        CHECK(adopted.nodes.size() == 4);
        CHECK(adopted.fully_read);
        CHECK(std::string(misuse_of([&] { (void)adopted.template take<int>(other); }).rule()) == "F1");
        CHECK(std::string(misuse_of([&] { adopted.graph.add_free(ag::after(left), std::move(x)); }).rule()) == "O3");
    }
    auto more = adopted.graph.add_memset(ag::after(set), x.span().first(1), std::uint8_t{9});
    adopted.graph.add_empty(ag::after(more));
    auto exec = std::move(adopted.graph).instantiate(ag::outputs(std::move(x)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result)[0] == 9);
    CHECK(contents(result)[63] == 3);
}

TEST_CASE("what breaks a rule is not adopted and stays the caller's", "[O1][G4]") {
    const nothing_leaks guard;
    const CUgraph raw = new_graph();
    CUgraphNode alloc = nullptr;
    const CUdeviceptr address = raw_alloc(raw, alloc, 64).dptr;
    CHECK(std::string(misuse_of([&] { (void)ag::graph::adopt(raw); }).rule()) == "kind");
    raw_memset(raw, address, 64, {});
    CHECK(std::string(misuse_of([&] { (void)ag::memory_graph::adopt(raw); }).rule()) == "O1");
    must(cuGraphDestroy(raw), "cuGraphDestroy");
}

TEST_CASE("a graph with a conditional is adopted with what that forbids", "[C18]") {
    const nothing_leaks guard;
    ag::graph g;
    auto decides = g.make_condition(1);
    auto when = g.add_if({}, decides);
    const CUgraph raw = std::move(g).release();
    CHECK(g.get() == nullptr);
    auto adopted = ag::graph::adopt(raw);
    CHECK(std::string(misuse_of([&] { return adopted.graph.clone(); }).rule()) == "C18");
    adopted.graph.destroy_node(when.node.get());
}

TEST_CASE("graphs and executables are given up and taken back", "[X5]") {
    const nothing_leaks guard;
    const ag::stream stream;
    int calls = 0;
    ag::graph g;
    g.add_host([&calls] { ++calls; });
    auto exec = g.instantiate();
    const CUgraphExec raw_exec = std::move(exec).release();
    const CUgraph raw = std::move(g).release();
    must(cuGraphDestroy(raw), "cuGraphDestroy");
    using executable = ag::graph_exec<ag::graph_kind::plain, ag::checking::on>;
    auto again = executable::adopt(raw_exec);
    again.launch(stream);
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(calls == 1);
    CHECK(again.get() == raw_exec);
}
