// rule: G4
// expect: because_a_child_is_a_graph_or_a_memory_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

void nest(ag::graph& parent, const ag::graph& child) {
#ifdef MISTAKE
    parent.add_child(child.get());
#else
    parent.add_child(child);
#endif
}
