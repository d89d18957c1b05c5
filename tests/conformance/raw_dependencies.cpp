// Group D: dependencies.
#include "raw.hpp"

using namespace raw;

TEST_CASE("zero dependencies make a root", "[raw][D1]") {
    graph g;
    CHECK(add_alloc(g, 1024).result == ok);
    CHECK(add_empty(g).result == ok);
    std::size_t roots = 0;
    REQUIRE(cuGraphGetRootNodes(g, nullptr, &roots) == ok);
    CHECK(roots == 2);
}

TEST_CASE("a dependency may not stand twice, for every type of node", "[raw][D2]") {
    graph g;
    const added a = add_alloc(g, 1024);
    const nodes twice{a.node, a.node};
    CHECK(add_alloc(g, 1024, twice).result == invalid);
    CHECK(add_free(g, a.address, twice).result == invalid);
    CHECK(add_empty(g, twice).result == invalid);
    CHECK(add_memset(g, a.address, 64, twice).result == invalid);
    CHECK(add_fill(g, a.address, 1, 16, twice).result == invalid);
    std::size_t count = 0;
    REQUIRE(cuGraphGetNodes(g, nullptr, &count) == ok);
    CHECK(count == 1);
}

TEST_CASE("a dependency must be of the same graph", "[raw][D3]") {
    graph g;
    graph other;
    const added a = add_alloc(g, 1024);
    CHECK(add_alloc(other, 1024, {a.node}).result == invalid);
    CHECK(add_empty(other, {a.node}).result == invalid);
    CHECK(add_free(other, a.address, {a.node}).result == invalid);
}

TEST_CASE("a null node is no dependency", "[raw][D4]") {
    graph g;
    CHECK(add_alloc(g, 1024, {nullptr}).result == invalid);
    CHECK(add_empty(g, {nullptr}).result == invalid);
}

TEST_CASE("a null list with a count is refused, a list with count 0 is ignored", "[raw][D5]") {
    graph g;
    CUgraphNode made = nullptr;
    CUDA_MEM_ALLOC_NODE_PARAMS params = alloc_params(64);
    CHECK(cuGraphAddMemAllocNode(&made, g, nullptr, 1, &params) == invalid);
    CHECK(cuGraphAddEmptyNode(&made, g, nullptr, 1) == invalid);

    const added a = add_empty(g);
    CUgraphNode list[] = {a.node};
    REQUIRE(cuGraphAddEmptyNode(&made, g, list, 0) == ok);
    std::size_t dependencies = 1;
    REQUIRE(cuGraphNodeGetDependencies_v2(made, nullptr, nullptr, &dependencies) == ok);
    CHECK(dependencies == 0);
}

TEST_CASE("an edge may be added later, once", "[raw][D6]") {
    graph g;
    const added a = add_alloc(g, 4096);
    const added f = add_free(g, a.address, {a.node});
    const added e = add_empty(g);
    CHECK(cuGraphAddDependencies_v2(g, &f.node, &e.node, nullptr, 1) == ok);
    CHECK(cuGraphAddDependencies_v2(g, &f.node, &e.node, nullptr, 1) == invalid);
}

TEST_CASE("an edge between graphs, from nothing or to itself is refused", "[raw][D6]") {
    graph g;
    graph other;
    const added a = add_empty(g);
    const added b = add_empty(other);
    const CUgraphNode none = nullptr;
    CHECK(cuGraphAddDependencies_v2(g, &a.node, &b.node, nullptr, 1) == invalid);
    CHECK(cuGraphAddDependencies_v2(g, &none, &a.node, nullptr, 1) == invalid);
    CHECK(cuGraphAddDependencies_v2(g, nullptr, &a.node, nullptr, 1) == invalid);
}

TEST_CASE("an edge from a node to itself is refused", "[raw][D6]") {
    graph g;
    const added a = add_empty(g);
    CHECK(cuGraphAddDependencies_v2(g, &a.node, &a.node, nullptr, 1) == invalid);
}

TEST_CASE("a cycle is accepted as an edge and refused when instantiated", "[raw][D7]") {
    graph g;
    const added a = add_alloc(g, 4096);
    const added f = add_free(g, a.address, {a.node});
    const added e = add_empty(g, {f.node});
    CHECK(cuGraphAddDependencies_v2(g, &e.node, &a.node, nullptr, 1) == ok);
    CHECK(executable(g).result == invalid);
}

TEST_CASE("edge data comes back, programmatic edges lead from kernels", "[raw][D8]") {
    graph g;
    CUdeviceptr p = 0;
    REQUIRE(cuMemAlloc(&p, 4096) == ok);
    const added first = add_fill(g, p, 1, 64);
    const added second = add_fill(g, p, 2, 64);
    CUgraphEdgeData edge;
    std::memset(&edge, 0, sizeof edge);
    edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    REQUIRE(cuGraphAddDependencies_v2(g, &first.node, &second.node, &edge, 1) == ok);
    CUgraphNode from = nullptr;
    CUgraphNode to = nullptr;
    CUgraphEdgeData back;
    std::memset(&back, 0, sizeof back);
    std::size_t count = 1;
    REQUIRE(cuGraphGetEdges_v2(g, &from, &to, &back, &count) == ok);
    REQUIRE(count == 1);
    CHECK(from == first.node);
    CHECK(to == second.node);
    CHECK(back.from_port == edge.from_port);
    CHECK(back.type == edge.type);
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("a to_port other than 0 is refused", "[raw][D8]") {
    graph g;
    CUdeviceptr p = 0;
    REQUIRE(cuMemAlloc(&p, 4096) == ok);
    const added first = add_fill(g, p, 1, 64);
    const added second = add_fill(g, p, 2, 64);
    CUgraphEdgeData edge;
    std::memset(&edge, 0, sizeof edge);
    edge.to_port = 1;
    CHECK(cuGraphAddDependencies_v2(g, &first.node, &second.node, &edge, 1) == invalid);
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("a programmatic edge from an empty node is refused", "[raw][D8]") {
    graph g;
    CUdeviceptr p = 0;
    REQUIRE(cuMemAlloc(&p, 4096) == ok);
    const added first = add_empty(g);
    const added second = add_fill(g, p, 2, 64);
    CUgraphEdgeData edge;
    std::memset(&edge, 0, sizeof edge);
    edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    CHECK(cuGraphAddDependencies_v2(g, &first.node, &second.node, &edge, 1) == invalid);
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("nodes and edges are listed as they were added", "[raw][D1]") {
    graph g;
    const added a = add_empty(g);
    const added b = add_empty(g, {a.node});
    const added c = add_empty(g, {a.node, b.node});
    std::size_t count = 0;
    REQUIRE(cuGraphGetNodes(g, nullptr, &count) == ok);
    CHECK(count == 3);
    CUgraphNode list[5] = {};
    count = 5;
    REQUIRE(cuGraphGetNodes(g, list, &count) == ok);
    CHECK(count == 3);
    CHECK(list[3] == nullptr);
    REQUIRE(cuGraphGetEdges_v2(g, nullptr, nullptr, nullptr, &count) == ok);
    CHECK(count == 3);
    count = 5;
    REQUIRE(cuGraphNodeGetDependencies_v2(c.node, list, nullptr, &count) == ok);
    CHECK(count == 2);
    count = 5;
    REQUIRE(cuGraphNodeGetDependentNodes_v2(a.node, list, nullptr, &count) == ok);
    CHECK(count == 2);
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_KERNEL;
    CHECK(cuGraphNodeGetType(a.node, &type) == ok);
    CHECK(type == CU_GRAPH_NODE_TYPE_EMPTY);
}
