// Executables: snapshots of graphs that can be launched.
#pragma once

#include "graph.hpp"

namespace allograph_reference {

/// Checks and snapshots `source`. `problem` names the node where the driver does.
CUresult instantiate(graph& source, unsigned long long flags, executable*& made, CUgraphInstantiateResult& result,
                     node*& problem);

/// The node of the executable that came from `origin`, its children and bodies included.
executable_node* find_executable_node(executable_graph& where, std::uint64_t origin);

/// Gives the child of an executable the parameters of `fresh`, which must have the same shape.
CUresult update_child(executable_node& which, const graph& fresh);

/// Runs the executable on a stream, with all checks.
CUresult launch(executable& which, stream& on);
CUresult upload(executable& which, stream& on);

/// Runs one piece of stream work that is not a graph, with the same guards.
CUresult run_single(node_data& data, stream& on);

/// Looks for what the real driver is silent about.
void check_strictly(const graph& which);

}  // namespace allograph_reference
