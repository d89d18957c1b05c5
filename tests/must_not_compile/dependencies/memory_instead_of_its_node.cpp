// rule: D4
// expect: because_after_takes_nodes_write_what_the_add_members_return
#include <allograph/allograph.hpp>

namespace ag = allograph;

void clear(ag::memory_graph& g) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memset(ag::after(x.data()), x.span(), 0.0f);
#else
    g.add_memset(ag::after(x), x.span(), 0.0f);
#endif
}
