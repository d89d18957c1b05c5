// rule: C1
// expect: because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::graph& plain, ag::memory_graph& g, ag::kernel_node k) {
#ifdef MISTAKE
    (void)g;
    return plain.add_alloc<float>(ag::after(k), 1024, ag::named("x"));
#else
    (void)plain;
    return g.add_alloc<float>(ag::after(k), 1024, ag::named("x"));
#endif
}
