// rule: G4 C7
// expect: because_only_a_memory_graph_can_hold_a_memory_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void nest(ag::graph& parent, ag::memory_graph& child) {
#else
void nest(ag::memory_graph& parent, ag::memory_graph& child) {
#endif
    parent.add_child(std::move(child));
}
