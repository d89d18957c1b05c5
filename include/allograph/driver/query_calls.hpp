#pragma once

#include <span>

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

// The lists: with an empty span the driver counts, else it fills. What is behind the returned count is null. The _v2
// functions by their own names: the 13.0 headers changed what the base names mean.

/// The nodes of a graph, in no order. @param nodes  filled; empty to count
/// @return the count. @throws driver_error. Driver: cuGraphGetNodes
inline std::size_t graph_get_nodes(CUgraph graph, std::span<CUgraphNode> nodes, source_line where) {
    std::size_t count = nodes.size();
    check(cuGraphGetNodes(graph, nodes.empty() ? nullptr : nodes.data(), &count), "cuGraphGetNodes", where, {{"graph", graph}});
    return count;
}

/// The edges of a graph. @param from,to,data  of one size, filled; empty to count
/// @return the count. @throws driver_error. Driver: cuGraphGetEdges_v2
inline std::size_t graph_get_edges(CUgraph graph, std::span<CUgraphNode> from, std::span<CUgraphNode> to,
                                   std::span<CUgraphEdgeData> data, source_line where) {
    std::size_t count = from.size();
    const bool fill = !from.empty();
    check(
        cuGraphGetEdges_v2(graph, fill ? from.data() : nullptr, fill ? to.data() : nullptr, fill ? data.data() : nullptr, &count),
        "cuGraphGetEdges_v2", where, {{"graph", graph}});
    return count;
}

/// What a node comes after. @param nodes,data  of one size, filled; empty to count; without the data the driver refuses
///                    edges that carry any
/// @return the count. @throws driver_error. Driver: cuGraphNodeGetDependencies_v2
inline std::size_t graph_node_get_dependencies(CUgraphNode node, std::span<CUgraphNode> nodes, std::span<CUgraphEdgeData> data,
                                               source_line where) {
    std::size_t count = nodes.size();
    const bool fill = !nodes.empty();
    check(cuGraphNodeGetDependencies_v2(node, fill ? nodes.data() : nullptr, fill ? data.data() : nullptr, &count),
          "cuGraphNodeGetDependencies_v2", where, {{"node", node}});
    return count;
}

/// What a node does. @throws driver_error. Driver: cuGraphNodeGetType
inline CUgraphNodeType graph_node_get_type(CUgraphNode node, source_line where) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    check(cuGraphNodeGetType(node, &type), "cuGraphNodeGetType", where, {{"node", node}});
    return type;
}

// Parameters. What they point to belongs to the node, or to the graph.

/// Size, place and address of an allocation node. @throws driver_error for a node of another kind [A15]
/// Driver: cuGraphMemAllocNodeGetParams
inline CUDA_MEM_ALLOC_NODE_PARAMS graph_mem_alloc_node_get_params(CUgraphNode node, source_line where) {
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    check(cuGraphMemAllocNodeGetParams(node, &parameters), "cuGraphMemAllocNodeGetParams", where, {{"node", node}});
    return parameters;
}

/// The address that a free node frees. @throws driver_error for a node of another kind [A15]
/// Driver: cuGraphMemFreeNodeGetParams
inline CUdeviceptr graph_mem_free_node_get_params(CUgraphNode node, source_line where) {
    CUdeviceptr address = 0;
    check(cuGraphMemFreeNodeGetParams(node, &address), "cuGraphMemFreeNodeGetParams", where, {{"node", node}});
    return address;
}

/// The parameters of a memset node. @throws driver_error. Driver: cuGraphMemsetNodeGetParams
inline CUDA_MEMSET_NODE_PARAMS graph_memset_node_get_params(CUgraphNode node, source_line where) {
    CUDA_MEMSET_NODE_PARAMS parameters{};
    check(cuGraphMemsetNodeGetParams(node, &parameters), "cuGraphMemsetNodeGetParams", where, {{"node", node}});
    return parameters;
}

/// The parameters of a memcpy node. @throws driver_error. Driver: cuGraphMemcpyNodeGetParams
inline CUDA_MEMCPY3D graph_memcpy_node_get_params(CUgraphNode node, source_line where) {
    CUDA_MEMCPY3D parameters{};
    check(cuGraphMemcpyNodeGetParams(node, &parameters), "cuGraphMemcpyNodeGetParams", where, {{"node", node}});
    return parameters;
}

/// The parameters of a kernel node; `kernelParams` points to the stored values. @throws driver_error
/// Driver: cuGraphKernelNodeGetParams_v2
inline CUDA_KERNEL_NODE_PARAMS_v2 graph_kernel_node_get_params(CUgraphNode node, source_line where) {
    CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
    check(cuGraphKernelNodeGetParams_v2(node, &parameters), "cuGraphKernelNodeGetParams_v2", where, {{"node", node}});
    return parameters;
}

/// The function and data of a host node. @throws driver_error. Driver: cuGraphHostNodeGetParams
inline CUDA_HOST_NODE_PARAMS graph_host_node_get_params(CUgraphNode node, source_line where) {
    CUDA_HOST_NODE_PARAMS parameters{};
    check(cuGraphHostNodeGetParams(node, &parameters), "cuGraphHostNodeGetParams", where, {{"node", node}});
    return parameters;
}

/// What a batch memory operation node does. @throws driver_error. Driver: cuGraphBatchMemOpNodeGetParams
inline CUDA_BATCH_MEM_OP_NODE_PARAMS graph_batch_mem_op_node_get_params(CUgraphNode node, source_line where) {
    CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{};
    check(cuGraphBatchMemOpNodeGetParams(node, &parameters), "cuGraphBatchMemOpNodeGetParams", where, {{"node", node}});
    return parameters;
}

/// The graph inside of a child node, which keeps it. @throws driver_error. Driver: cuGraphChildGraphNodeGetGraph
inline CUgraph graph_child_graph_node_get_graph(CUgraphNode node, source_line where) {
    CUgraph graph = nullptr;
    check(cuGraphChildGraphNodeGetGraph(node, &graph), "cuGraphChildGraphNodeGetGraph", where, {{"node", node}});
    return graph;
}

// Functions. Names are the module's own, mangled, and live as long as it.

/// The name of a function of a module. @throws driver_error. Driver: cuFuncGetName
inline const char* func_get_name(CUfunction function, source_line where) {
    const char* name = nullptr;
    check(cuFuncGetName(&name, function), "cuFuncGetName", where, {{"function", function}});
    return name;
}

/// The name of a kernel of a library. @throws driver_error. Driver: cuKernelGetName
inline const char* kernel_get_name(CUkernel kernel, source_line where) {
    const char* name = nullptr;
    check(cuKernelGetName(&name, kernel), "cuKernelGetName", where, {{"kernel", kernel}});
    return name;
}

/// Where a parameter lies among a kernel's parameters, in bytes.
struct parameter_place {
    std::size_t offset;  ///< from the first parameter
    std::size_t size;    ///< of its type
};

struct because_the_layout_of_parameters_needs_the_headers_of_cuda_12_4 {};

#if CUDA_VERSION >= 12040
/// True where the headers tell how a kernel's parameters lie: CUDA 12.4 and newer.
inline constexpr bool knows_parameter_layouts = true;

/// The place of a parameter of a function. @return false past the last one. @throws driver_error. Driver: cuFuncGetParamInfo
inline bool func_get_param_info(CUfunction function, std::size_t index, parameter_place& place, source_line where) {
    const CUresult result = cuFuncGetParamInfo(function, index, &place.offset, &place.size);
    if (result != CUDA_ERROR_INVALID_VALUE) {
        check(result, "cuFuncGetParamInfo", where, {{"function", function}, {"index", index}});
    }
    return result == CUDA_SUCCESS;
}

/// The place of a parameter of a kernel. @return false past the last one. @throws driver_error. Driver: cuKernelGetParamInfo
inline bool kernel_get_param_info(CUkernel kernel, std::size_t index, parameter_place& place, source_line where) {
    const CUresult result = cuKernelGetParamInfo(kernel, index, &place.offset, &place.size);
    if (result != CUDA_ERROR_INVALID_VALUE) {
        check(result, "cuKernelGetParamInfo", where, {{"kernel", kernel}, {"index", index}});
    }
    return result == CUDA_SUCCESS;
}
#else
inline constexpr bool knows_parameter_layouts = false;
template <class = void>  // clang 14 refuses a deleted function that a template names, even where nobody calls it
bool func_get_param_info(CUfunction, std::size_t, parameter_place&, source_line,
                         because_the_layout_of_parameters_needs_the_headers_of_cuda_12_4 = {}) = delete;
template <class = void>
bool kernel_get_param_info(CUkernel, std::size_t, parameter_place&, source_line,
                           because_the_layout_of_parameters_needs_the_headers_of_cuda_12_4 = {}) = delete;
#endif

}  // namespace driver
}  // namespace v0
}  // namespace allograph
