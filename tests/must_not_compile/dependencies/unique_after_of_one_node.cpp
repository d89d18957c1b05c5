// rule: D2
// expect: because_one_node_is_not_a_range_write_after_node
#include <allograph/allograph.hpp>

namespace ag = allograph;

void join(ag::memory_graph& g, ag::kernel_node k) {
#ifdef MISTAKE
    g.add_empty(ag::unique_after(k));
#else
    g.add_empty(ag::unique_after(ag::after(k, k)));
#endif
}
