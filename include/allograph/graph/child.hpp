#pragma once

#include <allograph/graph/detail/child_nodes.hpp>

namespace allograph {
inline namespace v0 {

/// What adding a moved child gives: the node in the parent, and the child's graph, which the parent owns now. It takes
/// more nodes, but none that allocate or free (rules C1 to C4).
template <checking Checks>
struct moved_child {
    child_node node;                                     ///< of the parent; what uses the child's memory comes after it
    basic_graph<graph_kind::moved_child, Checks> graph;  ///< a handle for adding further nodes, valid as long as the parent
};

}  // namespace v0
}  // namespace allograph
