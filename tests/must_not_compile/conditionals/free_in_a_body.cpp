// rule: C10
// expect: because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

void build(ag::memory_graph& g, ag::condition& decides) {
    auto x = g.add_alloc<float>(16);
    auto when = g.add_if(ag::after(x), decides);
#ifdef MISTAKE
    when.body.add_free(std::move(x));
#else
    g.add_free(ag::after(when.node), std::move(x));
#endif
}
