// rule: G4
// expect: because_a_memory_graph_becomes_a_child_by_moving_write_std_move
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void nest(ag::memory_graph& parent, ag::node first, const ag::memory_graph& child) { parent.add_child(ag::after(first), child); }
#else
void nest(ag::memory_graph& parent, ag::node first, const ag::graph& child) { parent.add_child(ag::after(first), child); }
#endif
