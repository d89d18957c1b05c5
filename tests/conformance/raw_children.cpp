// Group C, first part: children and conditional nodes.
#include "raw.hpp"

using namespace raw;

namespace {

/// A graph with an allocation and its free, for moving.
CUgraph memory_graph(std::size_t bytes = 4096) {
    CUgraph made = nullptr;
    here();
    REQUIRE(cuGraphCreate(&made, 0) == ok);
    const added a = add_alloc(made, bytes);
    REQUIRE(add_free(made, a.address, {a.node}).result == ok);
    return made;
}

}  // namespace

TEST_CASE("a moved child gains no memory nodes, but others", "[raw][C1][C2][C4]") {
    graph parent;
    const CUgraph child = memory_graph();
    REQUIRE(move_child(parent, child).result == ok);
    CHECK(add_alloc(child, 128).result == unsupported);
    CHECK(add_empty(child).result == ok);
    CHECK(executable(child).result == unsupported);
    executable e(parent);
    REQUIRE(e.result == ok);
    CHECK(e.launch() == ok);
    CHECK(e.launch() == ok);
    CHECK(cuGraphDestroy(child) == invalid);
    CHECK(e.destroy() == ok);
    CHECK(parent.destroy() == ok);
}

TEST_CASE("a moved child is not moved again, its parent is", "[raw][C3]") {
    graph p1;
    graph p2;
    const CUgraph child = memory_graph();
    REQUIRE(move_child(p1, child).result == ok);
    CHECK(move_child(p2, child).result == unsupported);
    CHECK(move_child(p2, p1).result == ok);
    p1.release();
}

TEST_CASE("a graph with an executable is not moved", "[raw][C5]") {
    graph g(memory_graph());
    graph parent;
    executable e(g);
    REQUIRE(e.result == ok);
    CHECK(move_child(parent, g).result == unsupported);
    CHECK(e.launch() == ok);
}

TEST_CASE("a graph may be moved into itself", "[raw][C6]") {
    graph g(memory_graph());
    CHECK(move_child(g, g).result == ok);
    g.release();  // it owns itself now: nobody can destroy it
}

TEST_CASE("a parent with a moved memory child is not cloned nor instantiated twice", "[raw][C7]") {
    graph parent;
    REQUIRE(move_child(parent, memory_graph()).result == ok);
    CUgraph clone = nullptr;
    CHECK(cuGraphClone(&clone, parent) == unsupported);
    executable e(parent);
    REQUIRE(e.result == ok);
    CHECK(executable(parent).result == unsupported);
}

TEST_CASE("memory nodes in a body are refused when instantiated", "[raw][C8]") {
    graph g;
    const conditional when = add_if(g);
    REQUIRE(when.result == ok);
    const added a = add_alloc(when.bodies[0], 4096);
    CHECK(a.result == ok);
    CHECK(add_free(when.bodies[0], a.address, {a.node}).result == ok);
    CHECK(executable(g).result == invalid);
}

TEST_CASE("a body may use an allocation of the outer graph", "[raw][C9]") {
    graph g;
    const added a = add_alloc(g, 4096);
    const conditional when = add_if(g, {a.node});
    REQUIRE(when.result == ok);
    CHECK(add_memset(when.bodies[0], a.address, 4096).result == ok);
    CHECK(add_free(g, a.address, {when.node}).result == ok);
    executable e(g);
    REQUIRE(e.result == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("a free in a body for an outer allocation is refused when instantiated", "[raw][C10]") {
    graph g;
    const conditional when = add_if(g);
    const added a = add_alloc(g, 4096);
    REQUIRE(a.result == ok);
    CHECK(add_free(when.bodies[0], a.address).result == ok);
    CHECK(executable(g).result == invalid);
}

TEST_CASE("an allocation left unfreed in a moved child is the parent's to free", "[raw][C15]") {
    graph parent;
    CUgraph child = nullptr;
    REQUIRE(cuGraphCreate(&child, 0) == ok);
    const added a = add_alloc(child, 4096);
    const added moved = move_child(parent, child);
    REQUIRE(moved.result == ok);
    CHECK(add_free(parent, a.address, {moved.node}).result == ok);
    CUgraph held = nullptr;
    CHECK(cuGraphChildGraphNodeGetGraph(moved.node, &held) == ok);
    CHECK(held == child);
    CHECK(add_free(child, a.address, {a.node}).result == unsupported);
    executable e(parent);
    REQUIRE(e.result == ok);
    CHECK(e.launch() == ok);
    CHECK(e.launch() == ok);
    CHECK(cuMemFree(a.address) == invalid);
}

TEST_CASE("a memory child moved into a body is refused when instantiated", "[raw][C16]") {
    graph g;
    const conditional when = add_if(g);
    CHECK(move_child(when.bodies[0], memory_graph()).result == ok);
    CHECK(executable(g).result == invalid);
}

TEST_CASE("a graph that holds a conditional is no child", "[raw][C17]") {
    graph g;
    graph child;
    REQUIRE(add_if(child).result == ok);
    CHECK(move_child(g, child).result == unsupported);
    CUgraphNode made = nullptr;
    CHECK(cuGraphAddChildGraphNode(&made, g, nullptr, 0, child) == unsupported);
}

TEST_CASE("a graph that holds a conditional: clone, second executable, removing the node", "[raw][C18]") {
    graph g;
    const conditional when = add_if(g);
    REQUIRE(when.result == ok);
    CUgraph clone = nullptr;
    CHECK(cuGraphClone(&clone, g) == unsupported);
    executable e(g);
    CHECK(e.result == ok);
    CHECK(executable(g).result == unsupported);
    CHECK(cuGraphDestroyNode(when.node) == ok);
}

TEST_CASE("conditional nodes run the body that the value names", "[raw][C9]") {
    CUdeviceptr p = 0;
    here();
    REQUIRE(cuMemAlloc(&p, 4 * sizeof(int)) == ok);
    const auto run = [&](CUgraphConditionalNodeType type, unsigned bodies, unsigned value) {
        REQUIRE(cuMemsetD32Async(p, 0, 1, stream()) == ok);
        graph g;
        const conditional when = add_conditional(g, type, bodies, value);
        REQUIRE(when.result == ok);
        for (unsigned body = 0; body < bodies; ++body)
            REQUIRE(add_fill(when.bodies[body], p, static_cast<int>(body) + 1, 1).result == ok);
        executable e(g);
        REQUIRE(e.result == ok);
        REQUIRE(e.launch() == ok);
        return read<int>(p, 1)[0];
    };
    CHECK(run(CU_GRAPH_COND_TYPE_IF, 1, 1) == 1);
    CHECK(run(CU_GRAPH_COND_TYPE_IF, 1, 0) == 0);
    CHECK(run(CU_GRAPH_COND_TYPE_IF, 2, 0) == 2);
    CHECK(run(CU_GRAPH_COND_TYPE_WHILE, 1, 0) == 0);
    CHECK(run(CU_GRAPH_COND_TYPE_SWITCH, 3, 2) == 3);
    CHECK(run(CU_GRAPH_COND_TYPE_SWITCH, 3, 7) == 0);
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("a copied child keeps its own copy of the nodes", "[raw][G4]") {
    CUdeviceptr p = 0;
    graph child;
    graph parent;
    REQUIRE(cuMemAlloc(&p, 1024) == ok);
    const added m = add_memset(child, p, 1024, {}, 0, 1);
    CUgraphNode node = nullptr;
    REQUIRE(cuGraphAddChildGraphNode(&node, parent, nullptr, 0, child) == ok);
    CUDA_MEMSET_NODE_PARAMS changed = memset_params(p, 1024, 9);
    REQUIRE(cuGraphMemsetNodeSetParams(m.node, &changed) == ok);
    executable e(parent);
    REQUIRE(e.launch() == ok);
    CHECK(read<char>(p, 1024) == std::vector<char>(1024, 1));
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("bodies and copied children are not destroyed by their handles", "[raw][C4]") {
    graph g;
    const conditional when = add_if(g);
    CHECK(cuGraphDestroy(when.bodies[0]) == invalid);
    graph child;
    add_empty(child);
    CUgraphNode node = nullptr;
    REQUIRE(cuGraphAddChildGraphNode(&node, g, nullptr, 0, child) == ok);
    CUgraph copy = nullptr;
    REQUIRE(cuGraphChildGraphNodeGetGraph(node, &copy) == ok);
    CHECK(copy != child);
    CHECK(cuGraphDestroy(copy) == invalid);
}
