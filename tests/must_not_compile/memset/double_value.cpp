// rule: O5
// expect: because_only_values_of_1_2_or_4_bytes_can_be_set_write_allograph_zero_or_a_kernel
#include <allograph/allograph.hpp>

namespace ag = allograph;

void clear(ag::memory_graph& g) {
    const auto x = g.add_alloc<double>(1024);
#ifdef MISTAKE
    g.add_memset(ag::after(x), x.span(), 1.0);
#else
    g.add_memset(ag::after(x), x.span(), ag::zero);
#endif
}
