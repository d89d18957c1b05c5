// rule: A14
// expect: because_an_allocation_has_an_element_type_write_add_alloc_of_it
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    return g.add_alloc(4096);
#else
    return g.add_alloc<float>(1024);
#endif
}
