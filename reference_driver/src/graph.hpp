// Building graphs: what the exported functions, stream capture and clones share.
#pragma once

#include "driver.hpp"

namespace allograph_reference {

std::shared_ptr<graph> make_graph();

/// Checks the dependencies that a caller passed for a new node of `where` [D2] [D3] [D4] [D5].
CUresult read_dependencies(graph& where, const CUgraphNode* nodes, const CUgraphEdgeData* edges, std::size_t count,
                           std::vector<dependency>& result);

/// Checks the payload as the driver does, gives an allocation its address, and adds the node. `made` is null on failure.
CUresult add_node(graph& where, std::vector<dependency> dependencies, node_data data, node*& made);

/// Checks the memory that a payload names [O2] [O5] [P1]. `by` is the node that is added, null where the parameters of a node
/// change.
CUresult check_addresses(const node_data& data, node* by);

/// Whether every address of `copy` or `set` exists; `first` and `bytes` of what it touches.
struct touched_range {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    bool writes = false;
};
std::vector<touched_range> touched_by(const CUDA_MEMCPY3D& copy);
touched_range touched_by(const CUDA_MEMSET_NODE_PARAMS_v1& set);

std::shared_ptr<graph> copy_graph(const graph& from);

/// Whether a conditional's bodies hold memory nodes anywhere: instantiating answers INVALID_VALUE then [C8] [C10] [C16].
bool bodies_hold_memory(const graph& where);
bool holds_conditional(const graph& where);

void retain_user_object(user_object& which, unsigned count);
void release_user_object(user_object& which, unsigned count);

/// Turns what a caller passes into what a node keeps.
CUresult make_kernel(const CUDA_KERNEL_NODE_PARAMS_v2& params, kernel_data& result);
CUresult make_memcpy(const CUDA_MEMCPY3D& copy, CUcontext ctx, node_data& result);
CUresult make_payload(graph& where, const CUgraphNodeParams& params, node_data& result);

/// Ends the process, as the real driver does, which follows the handle of a child or a body that a capture destroyed [C13].
[[noreturn]] void follow_destroyed_graph();

}  // namespace allograph_reference
