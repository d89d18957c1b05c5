// rule: O5
// expect: because_a_memset_sets_a_device_span_write_span
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

void clear(ag::memory_graph& g, std::vector<float>& host) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memset(ag::after(x), host, 0.0f);
#else
    (void)host;
    g.add_memset(ag::after(x), x.span(), 0.0f);
#endif
}
