// Group G: what a graph with memory nodes may not do.
#include "raw.hpp"

using namespace raw;

namespace {

struct small {
    graph g;
    added a = add_alloc(g, mebibyte);
    added m = add_memset(g, a.address, 4096, {a.node});
    added f = add_free(g, a.address, {m.node});
};

}  // namespace

TEST_CASE("no clone", "[raw][G1]") {
    small s;
    CUgraph clone = nullptr;
    CHECK(cuGraphClone(&clone, s.g) == unsupported);
}

TEST_CASE("no node may be destroyed", "[raw][G2]") {
    small s;
    const added e = add_empty(s.g);
    CHECK(cuGraphDestroyNode(s.a.node) == unsupported);
    CHECK(cuGraphDestroyNode(s.m.node) == unsupported);
    CHECK(cuGraphDestroyNode(s.f.node) == unsupported);
    CHECK(cuGraphDestroyNode(e.node) == unsupported);
}

TEST_CASE("no edge may be removed", "[raw][G3]") {
    small s;
    CHECK(cuGraphRemoveDependencies_v2(s.g, &s.a.node, &s.m.node, nullptr, 1) == unsupported);
}

TEST_CASE("as a child only by moving its ownership", "[raw][G4]") {
    small s;
    graph parent;
    CUgraphNode made = nullptr;
    CHECK(cuGraphAddChildGraphNode(&made, parent, nullptr, 0, s.g) == unsupported);
    CUgraphNodeParams params = node_params(CU_GRAPH_NODE_TYPE_GRAPH);
    params.graph.graph = s.g;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE;
    CHECK(cuGraphAddNode(&made, parent, nullptr, nullptr, 0, &params) == unsupported);
    CHECK(move_child(parent, s.g).result == ok);
    s.g.release();
}

TEST_CASE("one executable at a time", "[raw][G5]") {
    small s;
    executable first(s.g);
    REQUIRE(first.result == ok);
    CHECK(executable(s.g).result == unsupported);
    CHECK(first.destroy() == ok);
    CHECK(executable(s.g).result == ok);
}

TEST_CASE("memory nodes keep their parameters", "[raw][G6]") {
    small s;
    executable e(s.g);
    REQUIRE(e.result == ok);
    CUgraphNodeParams params = node_params(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    const CUDA_MEM_ALLOC_NODE_PARAMS wanted = alloc_params(8192);
    std::memcpy(&params.alloc, &wanted, sizeof wanted);
    CHECK(cuGraphNodeSetParams(s.a.node, &params) == unsupported);
    CHECK(cuGraphExecNodeSetParams(e, s.a.node, &params) == unsupported);
    params = node_params(CU_GRAPH_NODE_TYPE_MEM_FREE);
    params.free.dptr = s.a.address;
    CHECK(cuGraphNodeSetParams(s.f.node, &params) == unsupported);
    CHECK(cuGraphNodeSetEnabled(e, s.a.node, 0) == invalid);
    unsigned enabled = 2;
    CHECK(cuGraphNodeGetEnabled(e, s.a.node, &enabled) == invalid);
}

TEST_CASE("other nodes of a memory graph may change", "[raw][G6]") {
    small s;
    executable e(s.g);
    REQUIRE(e.result == ok);
    const CUDA_MEMSET_NODE_PARAMS params = memset_params(s.a.address, 8192);
    CHECK(cuGraphExecMemsetNodeSetParams(e, s.m.node, &params, here().context[0]) == ok);
    CHECK(cuGraphNodeSetEnabled(e, s.m.node, 0) == ok);
    CHECK(e.launch() == ok);
}

TEST_CASE("kernel parameters are read back and set, in the graph and in the executable", "[raw][G6]") {
    graph g;
    const added a = add_alloc(g, 4096);
    const added k = add_fill(g, a.address, 3, 1024, {a.node});
    CUDA_KERNEL_NODE_PARAMS params;
    REQUIRE(cuGraphKernelNodeGetParams(k.node, &params) == ok);
    REQUIRE(params.kernelParams != nullptr);
    CUdeviceptr address = 0;
    std::memcpy(&address, params.kernelParams[0], sizeof address);
    CHECK(address == a.address);
    CHECK(cuGraphKernelNodeSetParams(k.node, &params) == ok);
    executable e(g);
    REQUIRE(e.result == ok);
    REQUIRE(cuGraphKernelNodeGetParams(k.node, &params) == ok);
    CHECK(cuGraphExecKernelNodeSetParams(e, k.node, &params) == ok);
    REQUIRE(e.launch() == ok);
    CHECK(read<int>(a.address, 1024) == std::vector<int>(1024, 3));
    CHECK(cuMemFree(a.address) == ok);
    std::size_t offset = 9;
    std::size_t size = 0;
    CHECK(cuFuncGetParamInfo(here().fill, 0, &offset, &size) == ok);
    CHECK(offset == 0);
    CHECK(size == 8);
    CHECK(cuFuncGetParamInfo(here().fill, 3, &offset, &size) == invalid);
}

TEST_CASE("not for launches from the device", "[raw][G7]") {
    small s;
    CHECK(executable(s.g, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH).result == invalid);
    CUDA_GRAPH_INSTANTIATE_PARAMS params;
    std::memset(&params, 0, sizeof params);
    params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    CUgraphExec made = nullptr;
    CHECK(cuGraphInstantiateWithParams(&made, s.g, &params) == invalid);
    CHECK(params.result_out == CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
    CHECK(params.hErrNode_out != nullptr);
}

TEST_CASE("automatic frees do not go with launches from the device", "[raw][G8]") {
    small s;
    constexpr unsigned long long both =
        CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    CHECK(executable(s.g, both).result == invalid);
}

TEST_CASE("an executable is updated from its own graph only", "[raw][G9]") {
    small s;
    small other;
    executable e(s.g);
    REQUIRE(e.result == ok);
    CUgraphExecUpdateResultInfo info;
    std::memset(&info, 0, sizeof info);
    CHECK(cuGraphExecUpdate(e, other.g, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_ERROR);
    std::memset(&info, 0, sizeof info);
    CHECK(cuGraphExecUpdate(e, s.g, &info) == ok);
    CHECK(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    CHECK(e.launch() == ok);
}

TEST_CASE("nodes added after instantiating do not reach the executable", "[raw][G10]") {
    graph g;
    const added a = add_alloc(g, 4096);
    executable e(g);
    REQUIRE(e.result == ok);
    const added b = add_alloc(g, 4096, {a.node});
    CHECK(b.result == ok);
    CHECK(add_free(g, b.address, {b.node}).result == ok);
    CHECK(add_free(g, a.address, {b.node}).result == invalid);  // the executable leaves it to the program
    CHECK(executable(g).result == unsupported);
    CHECK(e.launch() == ok);
    CHECK(cuMemFree(a.address) == ok);
}

TEST_CASE("an output stays the program's to free when its executable is gone", "[raw][G10][unsure]") {
    graph g;
    const added a = add_alloc(g, 4096);
    executable e(g);
    REQUIRE(e.launch() == ok);
    REQUIRE(e.destroy() == ok);
    CHECK(cuMemFree(a.address) == ok);
    CHECK(add_free(g, a.address, {a.node}).result == invalid);
}

TEST_CASE("a graph without memory nodes may do all of it", "[raw][G1][G2][G3][G5]") {
    graph g;
    const added a = add_empty(g);
    const added b = add_empty(g, {a.node});
    CUgraph copy = nullptr;
    REQUIRE(cuGraphClone(&copy, g) == ok);
    graph clone(copy);
    CUgraphNode twin = nullptr;
    CHECK(cuGraphNodeFindInClone(&twin, b.node, clone) == ok);
    CHECK(twin != b.node);
    executable first(g);
    executable second(g);
    CHECK(first.result == ok);
    CHECK(second.result == ok);
    CHECK(cuGraphRemoveDependencies_v2(g, &a.node, &b.node, nullptr, 1) == ok);
    CHECK(cuGraphDestroyNode(b.node) == ok);
    CHECK(first.launch() == ok);
    CHECK(second.launch() == ok);
}

TEST_CASE("null handles and pointers are refused", "[raw][G5]") {
    graph g;
    CUgraphExec made = nullptr;
    CHECK(cuGraphInstantiateWithFlags(nullptr, g, 0) == invalid);
    CHECK(cuGraphInstantiateWithFlags(&made, nullptr, 0) == invalid);
    CHECK(cuGraphInstantiateWithFlags(&made, g, 1ULL << 40) == invalid);
    CHECK(cuGraphLaunch(nullptr, stream()) == invalid);
    CHECK(cuGraphUpload(nullptr, stream()) == invalid);
    CHECK(cuGraphExecDestroy(nullptr) == invalid);
    CHECK(cuGraphDestroy(nullptr) == invalid);
    CHECK(cuGraphCreate(nullptr, 0) == invalid);
    CUgraph other = nullptr;
    CHECK(cuGraphCreate(&other, 1) == invalid);
    CHECK(cuGraphDestroyNode(nullptr) == invalid);
    CUgraphNodeType type{};
    CHECK(cuGraphNodeGetType(nullptr, &type) == invalid);
}

TEST_CASE("a user object dies with the last of graph, copies and executables", "[raw][G5]") {
    here();
    int destroyed = 0;
    CUuserObject object = nullptr;
    REQUIRE(cuUserObjectCreate(
                &object, &destroyed, [](void* where) { ++*static_cast<int*>(where); }, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) ==
            ok);
    graph g;
    add_empty(g);
    REQUIRE(cuGraphRetainUserObject(g, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == ok);
    executable e(g);
    REQUIRE(g.destroy() == ok);
    CHECK(destroyed == 0);
    REQUIRE(e.launch() == ok);
    REQUIRE(e.destroy() == ok);
    // The driver may call it from another thread, a moment later.
    for (int wait = 0; wait < 200000000 && *const_cast<volatile int*>(&destroyed) == 0; ++wait) {
    }
    CHECK(destroyed == 1);
}
