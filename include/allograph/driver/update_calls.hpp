#pragma once

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

/// Changes function, launch and parameters of a node in an executable; the graph keeps its own. @throws driver_error
/// Driver: cuGraphExecKernelNodeSetParams_v2
inline void graph_exec_kernel_node_set_params(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2& parameters,
                                              source_line where) {
    check(cuGraphExecKernelNodeSetParams_v2(exec, node, &parameters), "cuGraphExecKernelNodeSetParams_v2", where,
          {{"node", node}, {"exec", exec}});
}

/// Changes memory and value of a node in an executable; the graph keeps its own. @throws driver_error
/// Driver: cuGraphExecMemsetNodeSetParams
inline void graph_exec_memset_node_set_params(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS& parameters,
                                              CUcontext context, source_line where) {
    check(cuGraphExecMemsetNodeSetParams(exec, node, &parameters, context), "cuGraphExecMemsetNodeSetParams", where,
          {{"address", reinterpret_cast<const void*>(parameters.dst)}, {"node", node}, {"exec", exec}});
}

/// Changes both sides of a node in an executable; the graph keeps its own. @throws driver_error
/// Driver: cuGraphExecMemcpyNodeSetParams
inline void graph_exec_memcpy_node_set_params(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D& parameters,
                                              CUcontext context, source_line where) {
    check(cuGraphExecMemcpyNodeSetParams(exec, node, &parameters, context), "cuGraphExecMemcpyNodeSetParams", where,
          {{"bytes", parameters.WidthInBytes * parameters.Height * parameters.Depth}, {"node", node}, {"exec", exec}});
}

/// Changes function and data of a node in an executable; the graph keeps its own. @throws driver_error
/// Driver: cuGraphExecHostNodeSetParams
inline void graph_exec_host_node_set_params(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS& parameters,
                                            source_line where) {
    check(cuGraphExecHostNodeSetParams(exec, node, &parameters), "cuGraphExecHostNodeSetParams", where,
          {{"node", node}, {"exec", exec}});
}

/// Lets a kernel, memset or memcpy node do nothing, or work again. @throws driver_error [G6]. Driver: cuGraphNodeSetEnabled
inline void graph_node_set_enabled(CUgraphExec exec, CUgraphNode node, bool enabled, source_line where) {
    check(cuGraphNodeSetEnabled(exec, node, enabled ? 1 : 0), "cuGraphNodeSetEnabled", where, {{"node", node}, {"exec", exec}});
}

/// Whether a node of an executable works. @throws driver_error. Driver: cuGraphNodeGetEnabled
inline bool graph_node_get_enabled(CUgraphExec exec, CUgraphNode node, source_line where) {
    unsigned enabled = 0;
    check(cuGraphNodeGetEnabled(exec, node, &enabled), "cuGraphNodeGetEnabled", where, {{"node", node}, {"exec", exec}});
    return enabled != 0;
}

/// Takes the parameters of a graph over. The result is returned: what prevented the update is in `info`.
/// Driver: cuGraphExecUpdate_v2
inline CUresult graph_exec_update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo& info) noexcept {
    return cuGraphExecUpdate_v2(exec, graph, &info);
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
