// rule: A8
// expect: because_the_options_of_an_allocation_are_named_on_and_shared_with
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    CUmemPoolProps properties;
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    return g.add_alloc<float>(1024, properties);
#else
    return g.add_alloc<float>(1024);
#endif
}
