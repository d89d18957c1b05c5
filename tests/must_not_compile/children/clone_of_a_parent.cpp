// rule: C7
// expect: because_a_graph_with_memory_nodes_cannot_be_cloned
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void copy(ag::memory_graph& parent, ag::memory_graph& child) {
    parent.add_child(std::move(child));
#else
void copy(ag::graph& parent, ag::graph& child) {
    parent.add_child(child);
#endif
    auto other = parent.clone();
    (void)other;
}
