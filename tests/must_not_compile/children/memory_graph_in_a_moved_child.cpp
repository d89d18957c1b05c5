// rule: C1
// expect: because_a_moved_child_gains_no_memory_nodes_move_them_in_before_it_moves
#include <allograph/allograph.hpp>

namespace ag = allograph;

using moved = ag::basic_graph<ag::graph_kind::moved_child>;
#ifdef MISTAKE
void nest(moved& parent, ag::memory_graph& child) {
#else
void nest(ag::memory_graph& parent, ag::memory_graph& child) {
#endif
    parent.add_child(std::move(child));
}
