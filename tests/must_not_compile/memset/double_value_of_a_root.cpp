// rule: O5
// expect: because_only_values_of_1_2_or_4_bytes_can_be_set_write_allograph_zero_or_a_kernel
#include <allograph/allograph.hpp>

namespace ag = allograph;

void clear(ag::memory_graph& g, ag::device_span<double> x) {
#ifdef MISTAKE
    g.add_memset(x, 1.0);
#else
    g.add_memset(x, ag::zero);
#endif
}
