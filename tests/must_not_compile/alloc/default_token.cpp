// rule: F10
// expect: because_only_add_alloc_makes_an_allocation
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    ag::alloc_node<float> x;
#else
    auto x = g.add_alloc<float>(1024);
#endif
    return x;
}
