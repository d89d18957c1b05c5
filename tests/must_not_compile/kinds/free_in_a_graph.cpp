// rule: F5
// expect: because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::graph& plain, ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    plain.add_free({}, std::move(x));
#else
    (void)plain;
    g.add_free(ag::after(x), std::move(x));
#endif
}
