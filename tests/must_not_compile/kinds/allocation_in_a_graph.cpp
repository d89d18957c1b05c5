// rule: C1
// expect: because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::graph& plain, ag::memory_graph& g) {
#ifdef MISTAKE
    (void)g;
    return plain.add_alloc<float>(1024);
#else
    (void)plain;
    return g.add_alloc<float>(1024);
#endif
}
