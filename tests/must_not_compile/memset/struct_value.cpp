// rule: O5
// expect: because_only_values_of_1_2_or_4_bytes_can_be_set_write_allograph_zero_or_a_kernel
#include <allograph/allograph.hpp>

namespace ag = allograph;

struct particle {
    float x, y, z;
};
void clear(ag::memory_graph& g) {
    const auto all = g.add_alloc<particle>(1024);
#ifdef MISTAKE
    g.add_memset(ag::after(all), all.span(), particle{});
#else
    g.add_memset(ag::after(all), all.span(), ag::zero);
#endif
}
