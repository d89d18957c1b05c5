// rule: A4
// expect: because_the_options_of_an_allocation_are_named_on_and_shared_with
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g, ag::kernel_node k) {
#ifdef MISTAKE
    return g.add_alloc<float>(ag::after(k), 1024, CU_MEM_ALLOCATION_TYPE_MANAGED);
#else
    return g.add_alloc<float>(ag::after(k), 1024, ag::on(ag::device{0}));
#endif
}
