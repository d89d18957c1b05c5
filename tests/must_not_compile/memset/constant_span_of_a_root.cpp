// rule: O6
// expect: because_a_memset_writes_and_this_span_is_const
#include <allograph/allograph.hpp>

namespace ag = allograph;

void clear(ag::memory_graph& g, ag::device_span<const float> x, ag::device_span<float> y) {
#ifdef MISTAKE
    (void)y;
    g.add_memset(x, ag::zero);
#else
    (void)x;
    g.add_memset(y, ag::zero);
#endif
}
