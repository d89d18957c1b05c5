// rule: D5
// expect: because_one_node_is_not_a_range_write_after_node
#include <allograph/allograph.hpp>

namespace ag = allograph;

void clear(ag::memory_graph& g) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memset(x, x.span(), 0.0f);
#else
    g.add_memset(ag::after(x), x.span(), 0.0f);
#endif
}
