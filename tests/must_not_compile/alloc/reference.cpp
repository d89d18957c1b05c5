// rule: A14
// expect: because_device_memory_holds_trivially_copyable_values_not_const_aligned_to_at_most_512
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    return g.add_alloc<float&>(1024);
#else
    return g.add_alloc<float>(1024);
#endif
}
