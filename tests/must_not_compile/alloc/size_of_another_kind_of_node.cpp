// rule: A15
// expect: no member
#include <allograph/allograph.hpp>

namespace ag = allograph;

std::size_t bytes(ag::memory_graph& g) {
    const auto x = g.add_alloc<float>(1024);
    const auto m = g.add_memset(ag::after(x), x.span(), 0.0f);
#ifdef MISTAKE
    return m.size_bytes();
#else
    (void)m;
    return x.size_bytes();
#endif
}
