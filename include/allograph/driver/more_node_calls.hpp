#pragma once

#include <span>

#include <allograph/driver/graph_calls.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

/// Adds a record of an event, which must outlive every launch; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddEventRecordNode
inline CUgraphNode graph_add_event_record_node(CUgraph graph, node_list deps, CUevent event, source_line where) {
    CUgraphNode node = nullptr;
    check(cuGraphAddEventRecordNode(&node, graph, deps.data(), deps.size(), event), "cuGraphAddEventRecordNode", where,
          {{"event", event}, {"graph", graph}});
    return node;
}

/// Adds a wait for an event, which must outlive every launch; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddEventWaitNode
inline CUgraphNode graph_add_event_wait_node(CUgraph graph, node_list deps, CUevent event, source_line where) {
    CUgraphNode node = nullptr;
    check(cuGraphAddEventWaitNode(&node, graph, deps.data(), deps.size(), event), "cuGraphAddEventWaitNode", where,
          {{"event", event}, {"graph", graph}});
    return node;
}

/// Adds a signal of external semaphores; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddExternalSemaphoresSignalNode
inline CUgraphNode graph_add_external_semaphores_signal_node(CUgraph graph, node_list deps,
                                                             const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS& parameters,
                                                             source_line where) {
    CUgraphNode node = nullptr;
    check(cuGraphAddExternalSemaphoresSignalNode(&node, graph, deps.data(), deps.size(), &parameters),
          "cuGraphAddExternalSemaphoresSignalNode", where, {{"semaphores", parameters.numExtSems}, {"graph", graph}});
    return node;
}

/// Adds a wait for external semaphores; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddExternalSemaphoresWaitNode
inline CUgraphNode graph_add_external_semaphores_wait_node(CUgraph graph, node_list deps,
                                                           const CUDA_EXT_SEM_WAIT_NODE_PARAMS& parameters, source_line where) {
    CUgraphNode node = nullptr;
    check(cuGraphAddExternalSemaphoresWaitNode(&node, graph, deps.data(), deps.size(), &parameters),
          "cuGraphAddExternalSemaphoresWaitNode", where, {{"semaphores", parameters.numExtSems}, {"graph", graph}});
    return node;
}

/// Adds memory operations; without dependencies a root. @throws driver_error
/// Driver: cuGraphAddBatchMemOpNode
inline CUgraphNode graph_add_batch_mem_op_node(CUgraph graph, node_list deps, const CUDA_BATCH_MEM_OP_NODE_PARAMS& parameters,
                                               source_line where) {
    CUgraphNode node = nullptr;
    check(cuGraphAddBatchMemOpNode(&node, graph, deps.data(), deps.size(), &parameters), "cuGraphAddBatchMemOpNode", where,
          {{"operations", parameters.count}, {"graph", graph}});
    return node;
}

/// Adds a graph as a child: it is copied, and stays the caller's. @throws driver_error, for memory nodes [G4] too
/// Driver: cuGraphAddChildGraphNode
inline CUgraphNode graph_add_child_graph_node(CUgraph graph, node_list deps, CUgraph child, source_line where) {
    CUgraphNode node = nullptr;
    check(cuGraphAddChildGraphNode(&node, graph, deps.data(), deps.size(), child), "cuGraphAddChildGraphNode", where,
          {{"child", child}, {"graph", graph}});
    return node;
}

struct because_moving_a_graph_into_another_needs_the_headers_of_cuda_12_9 {};

#if CUDA_VERSION >= 12090
/// True where the headers know how to move a graph into another: CUDA 12.9 and newer.
inline constexpr bool moves_children = true;
/// Adds a child by moving it: it is the graph's own afterwards (rule G4). Absent with older headers. @throws driver_error
/// Driver: cuGraphAddNode_v2
inline CUgraphNode graph_move_child_graph(CUgraph graph, node_list deps, CUgraph child, source_line where) {
    CUgraphNodeParams parameters{};
    parameters.type = CU_GRAPH_NODE_TYPE_GRAPH;
    parameters.graph.graph = child;
    parameters.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    CUgraphNode node = nullptr;
    check(cuGraphAddNode_v2(&node, graph, deps.data(), nullptr, deps.size(), &parameters), "cuGraphAddNode_v2", where,
          {{"child", child}, {"dependencies", deps.size()}, {"graph", graph}});
    return node;
}
#else
inline constexpr bool moves_children = false;
template <class = void>  // clang 14 refuses a deleted function that a template names, even where nobody calls it
CUgraphNode graph_move_child_graph(CUgraph, node_list, CUgraph, source_line,
                                   because_moving_a_graph_into_another_needs_the_headers_of_cuda_12_9 = {}) = delete;
#endif

/// Adds any node by its generic parameters: conditionals have no other way. @throws driver_error
/// Driver: cuGraphAddNode_v2
inline CUgraphNode graph_add_node(CUgraph graph, node_list deps, CUgraphNodeParams& parameters, source_line where) {
    CUgraphNode node = nullptr;
    check(cuGraphAddNode_v2(&node, graph, deps.data(), nullptr, deps.size(), &parameters), "cuGraphAddNode_v2", where,
          {{"type", static_cast<std::uint64_t>(parameters.type)}, {"dependencies", deps.size()}, {"graph", graph}});
    return node;
}

/// The value of one conditional node of `graph`, which needs its node before instantiating. @throws driver_error
/// @param value  at each launch, where `flags` say so
/// Driver: cuGraphConditionalHandleCreate
inline CUgraphConditionalHandle graph_conditional_handle_create(CUgraph graph, CUcontext context, unsigned value, unsigned flags,
                                                                source_line where) {
    CUgraphConditionalHandle handle = 0;
    check(cuGraphConditionalHandleCreate(&handle, graph, context, value, flags), "cuGraphConditionalHandleCreate", where,
          {{"graph", graph}});
    return handle;
}

/// Adds one edge with data (rule D8). @throws driver_error. Driver: cuGraphAddDependencies_v2
inline void graph_add_dependency_with_data(CUgraph graph, CUgraphNode from, CUgraphNode to, const CUgraphEdgeData& data,
                                           source_line where) {
    check(cuGraphAddDependencies_v2(graph, &from, &to, &data, 1), "cuGraphAddDependencies_v2", where,
          {{"from", from}, {"to", to}, {"from_port", data.from_port}, {"graph", graph}});
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
