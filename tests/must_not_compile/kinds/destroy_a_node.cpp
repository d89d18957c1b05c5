// rule: G2
// expect: because_no_node_of_a_graph_with_memory_nodes_can_be_destroyed
#include <allograph/allograph.hpp>

namespace ag = allograph;

void remove(ag::graph& plain, ag::memory_graph& g) {
#ifdef MISTAKE
    (void)plain;
    g.destroy_node(g.add_empty());
#else
    (void)g;
    plain.destroy_node(plain.add_empty());
#endif
}
