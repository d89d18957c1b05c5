// rule: A15
// expect: because_only_add_alloc_makes_an_allocation
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g, ag::memset_node m) {
#ifdef MISTAKE
    return ag::alloc_node<float>(m);
#else
    (void)m;
    return g.add_alloc<float>(1024);
#endif
}
