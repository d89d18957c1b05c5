// rule: G3
// expect: because_no_edge_of_a_graph_with_memory_nodes_can_be_removed
#include <allograph/allograph.hpp>

namespace ag = allograph;

void unorder(ag::graph& plain, ag::memory_graph& g, ag::kernel_node a, ag::kernel_node b) {
#ifdef MISTAKE
    (void)plain;
    g.remove_dependency(a, b);
#else
    (void)g;
    plain.remove_dependency(a, b);
#endif
}
