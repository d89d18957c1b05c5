// rule: D6
// expect: because_an_edge_joins_two_nodes_write_what_the_add_members_return
#include <allograph/allograph.hpp>

namespace ag = allograph;

void order(ag::memory_graph& g, ag::kernel_node a, ag::kernel_node b, ag::kernel_node c) {
#ifdef MISTAKE
    g.add_dependency(ag::after(a, b), c);
#else
    g.add_dependency(a, c);
    g.add_dependency(b, c);
#endif
}
