// rule: C16
// expect: because_the_body_of_a_conditional_cannot_hold_memory_nodes_move_them_into_the_outer_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

using body = ag::basic_graph<ag::graph_kind::conditional_body>;
#ifdef MISTAKE
void nest(body& parent, ag::memory_graph& child) { parent.add_child(std::move(child)); }
#else
void nest(body& parent, ag::graph& child) { parent.add_child(child); }
#endif
