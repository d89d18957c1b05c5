// rule: D4
// expect: because_an_edge_joins_two_nodes_write_what_the_add_members_return
#include <allograph/allograph.hpp>

namespace ag = allograph;

void order(ag::memory_graph& g, ag::kernel_node k) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_dependency(x.data(), k);
#else
    g.add_dependency(x, k);
#endif
}
