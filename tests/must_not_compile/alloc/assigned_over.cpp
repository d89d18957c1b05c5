// rule: F10 G6
// expect: because_assigning_over_a_live_allocation_would_leak_it
#include <allograph/allograph.hpp>

namespace ag = allograph;

void allocate(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    x = g.add_alloc<float>(2048);
#else
    auto y = g.add_alloc<float>(2048);
#endif
}
