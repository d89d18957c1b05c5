// rule: A10
// expect: because_an_allocation_is_a_count_of_elements
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g, ag::kernel_node k) {
#ifdef MISTAKE
    return g.add_alloc<float>(ag::after(k), nullptr);
#else
    return g.add_alloc<float>(ag::after(k), 1024);
#endif
}
