// rule: D5
// expect: because_one_node_is_not_a_range_write_after_node
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g, CUgraphNode before) {
#ifdef MISTAKE
    return g.add_alloc<float>(before, 1024);
#else
    return g.add_alloc<float>(ag::after(before), 1024);
#endif
}
