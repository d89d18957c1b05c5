// rule: C8
// expect: because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

void build(ag::memory_graph& g, ag::condition& decides) {
#ifdef MISTAKE
    auto when = g.add_while({}, decides);
    auto x = when.body.add_alloc<float>(16);
#else
    auto x = g.add_alloc<float>(16);
    auto when = g.add_while(ag::after(x), decides);
#endif
    when.body.add_memset(x.span(), 1.0f);
}
