#pragma once

#include <span>

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

/// The dependencies of a node, as the driver takes them.
using node_list = std::span<const CUgraphNode>;

/// An empty graph, the caller's own. @throws driver_error. Driver: cuGraphCreate
inline CUgraph graph_create(source_line where) {
    CUgraph graph = nullptr;
    check(cuGraphCreate(&graph, 0), "cuGraphCreate", where);
    return graph;
}

/// A copy of a graph, the caller's own. @throws driver_error, for memory nodes [G1] too. Driver: cuGraphClone
inline CUgraph graph_clone(CUgraph original, source_line where) {
    CUgraph graph = nullptr;
    check(cuGraphClone(&graph, original), "cuGraphClone", where, {{"graph", original}});
    return graph;
}

/// The node of a clone that stands for one of the original. @throws driver_error. Driver: cuGraphNodeFindInClone
inline CUgraphNode graph_node_find_in_clone(CUgraphNode original, CUgraph clone, source_line where) {
    CUgraphNode node = nullptr;
    check(cuGraphNodeFindInClone(&node, original, clone), "cuGraphNodeFindInClone", where,
          {{"node", original}, {"clone", clone}});
    return node;
}

/// Adds an allocation; `parameters.dptr` is the address afterwards. @throws driver_error
/// Driver: cuGraphAddMemAllocNode
[[gnu::always_inline]] inline CUgraphNode graph_add_mem_alloc_node(CUgraph graph, node_list deps,
                                                                   CUDA_MEM_ALLOC_NODE_PARAMS& parameters, source_line where) {
    CUgraphNode node = nullptr;
    if (const CUresult result = cuGraphAddMemAllocNode(&node, graph, deps.data(), deps.size(), &parameters);
        result != CUDA_SUCCESS) [[unlikely]] {
        fail(result, "cuGraphAddMemAllocNode",
             {{"bytes", parameters.bytesize},
              {"device", static_cast<std::uint64_t>(parameters.poolProps.location.id)},
              {"dependencies", deps.size()},
              {"graph", graph}},
             where);
    }
    return node;
}

/// Adds a free of an address that an allocation node gave; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddMemFreeNode
[[gnu::always_inline]] inline CUgraphNode graph_add_mem_free_node(CUgraph graph, node_list deps, CUdeviceptr address,
                                                                  source_line where) {
    CUgraphNode node = nullptr;
    if (const CUresult result = cuGraphAddMemFreeNode(&node, graph, deps.data(), deps.size(), address); result != CUDA_SUCCESS)
        [[unlikely]] {
        fail(result, "cuGraphAddMemFreeNode",
             {{"address", reinterpret_cast<const void*>(address)}, {"dependencies", deps.size()}, {"graph", graph}}, where);
    }
    return node;
}

/// Adds a memset, which runs in `context`; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddMemsetNode
[[gnu::always_inline]] inline CUgraphNode graph_add_memset_node(CUgraph graph, node_list deps,
                                                                const CUDA_MEMSET_NODE_PARAMS& parameters, CUcontext context,
                                                                source_line where) {
    CUgraphNode node = nullptr;
    if (const CUresult result = cuGraphAddMemsetNode(&node, graph, deps.data(), deps.size(), &parameters, context);
        result != CUDA_SUCCESS) [[unlikely]] {
        fail(result, "cuGraphAddMemsetNode",
             {{"address", reinterpret_cast<const void*>(parameters.dst)},
              {"bytes", parameters.width * parameters.elementSize * parameters.height},
              {"dependencies", deps.size()},
              {"graph", graph}},
             where);
    }
    return node;
}

/// Adds a copy, which runs in `context`; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddMemcpyNode
[[gnu::always_inline]] inline CUgraphNode graph_add_memcpy_node(CUgraph graph, node_list deps, const CUDA_MEMCPY3D& parameters,
                                                                CUcontext context, source_line where) {
    CUgraphNode node = nullptr;
    if (const CUresult result = cuGraphAddMemcpyNode(&node, graph, deps.data(), deps.size(), &parameters, context);
        result != CUDA_SUCCESS) [[unlikely]] {
        fail(result, "cuGraphAddMemcpyNode",
             {{"bytes", parameters.WidthInBytes * parameters.Height * parameters.Depth},
              {"dependencies", deps.size()},
              {"graph", graph}},
             where);
    }
    return node;
}

/// Adds a kernel; the driver copies the parameter values now; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddKernelNode_v2
[[gnu::always_inline]] inline CUgraphNode graph_add_kernel_node(CUgraph graph, node_list deps,
                                                                const CUDA_KERNEL_NODE_PARAMS_v2& parameters, source_line where) {
    CUgraphNode node = nullptr;
    if (const CUresult result = cuGraphAddKernelNode_v2(&node, graph, deps.data(), deps.size(), &parameters);
        result != CUDA_SUCCESS) [[unlikely]] {
        fail(result, "cuGraphAddKernelNode_v2",
             {{"grid", std::uint64_t{parameters.gridDimX} * parameters.gridDimY * parameters.gridDimZ},
              {"block", std::uint64_t{parameters.blockDimX} * parameters.blockDimY * parameters.blockDimZ},
              {"shared", parameters.sharedMemBytes},
              {"dependencies", deps.size()},
              {"graph", graph}},
             where);
    }
    return node;
}

/// Sets an attribute of a kernel node of a graph. @throws driver_error. Driver: cuGraphKernelNodeSetAttribute
inline void graph_kernel_node_set_attribute(CUgraphNode node, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue& value,
                                            source_line where) {
    check(cuGraphKernelNodeSetAttribute(node, attribute, &value), "cuGraphKernelNodeSetAttribute", where,
          {{"attribute", static_cast<std::uint64_t>(attribute)}, {"node", node}});
}

/// Adds a call of a host function; its data must outlive every launch; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddHostNode
[[gnu::always_inline]] inline CUgraphNode graph_add_host_node(CUgraph graph, node_list deps,
                                                              const CUDA_HOST_NODE_PARAMS& parameters, source_line where) {
    CUgraphNode node = nullptr;
    if (const CUresult result = cuGraphAddHostNode(&node, graph, deps.data(), deps.size(), &parameters); result != CUDA_SUCCESS)
        [[unlikely]] {
        fail(result, "cuGraphAddHostNode", {{"dependencies", deps.size()}, {"graph", graph}}, where);
    }
    return node;
}

/// Adds a node that does nothing; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddEmptyNode
[[gnu::always_inline]] inline CUgraphNode graph_add_empty_node(CUgraph graph, node_list deps, source_line where) {
    CUgraphNode node = nullptr;
    if (const CUresult result = cuGraphAddEmptyNode(&node, graph, deps.data(), deps.size()); result != CUDA_SUCCESS)
        [[unlikely]] {
        fail(result, "cuGraphAddEmptyNode", {{"dependencies", deps.size()}, {"graph", graph}}, where);
    }
    return node;
}

// The _v2 functions by their own names: the 13.0 headers changed what the base names mean.
/// Adds one edge without data. @throws driver_error. Driver: cuGraphAddDependencies_v2
inline void graph_add_dependency(CUgraph graph, CUgraphNode from, CUgraphNode to, source_line where) {
    check(cuGraphAddDependencies_v2(graph, &from, &to, nullptr, 1), "cuGraphAddDependencies_v2", where,
          {{"from", from}, {"to", to}, {"graph", graph}});
}

/// Removes one edge. @throws driver_error, for memory nodes [G3] too. Driver: cuGraphRemoveDependencies_v2
inline void graph_remove_dependency(CUgraph graph, CUgraphNode from, CUgraphNode to, source_line where) {
    check(cuGraphRemoveDependencies_v2(graph, &from, &to, nullptr, 1), "cuGraphRemoveDependencies_v2", where,
          {{"from", from}, {"to", to}, {"graph", graph}});
}

/// Destroys a node and its edges. @throws driver_error, for memory nodes [G2] too. Driver: cuGraphDestroyNode
inline void graph_destroy_node(CUgraphNode node, source_line where) {
    check(cuGraphDestroyNode(node), "cuGraphDestroyNode", where, {{"node", node}});
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
