// rule: O5
// expect: because_a_memset_sets_a_device_span_write_span
#include <allograph/allograph.hpp>

namespace ag = allograph;

void clear(ag::memory_graph& g) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memset(ag::after(x), x.data(), 0.0f);
#else
    g.add_memset(ag::after(x), x.span(), 0.0f);
#endif
}
