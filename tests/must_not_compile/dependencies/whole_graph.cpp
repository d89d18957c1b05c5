// rule: D3
// expect: because_after_takes_nodes_write_what_the_add_members_return
#include <allograph/allograph.hpp>

namespace ag = allograph;

void join(ag::memory_graph& g, const ag::graph& other, ag::kernel_node k) {
#ifdef MISTAKE
    g.add_empty(ag::after(other));
#else
    g.add_empty(ag::after(k));
#endif
    (void)other;
}
