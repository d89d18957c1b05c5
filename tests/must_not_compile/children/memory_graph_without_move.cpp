// rule: G4
// expect: because_a_memory_graph_becomes_a_child_by_moving_write_std_move
#include <allograph/allograph.hpp>

namespace ag = allograph;

void nest(ag::memory_graph& parent, ag::memory_graph& child) {
#ifdef MISTAKE
    parent.add_child(child);
#else
    parent.add_child(std::move(child));
#endif
}
