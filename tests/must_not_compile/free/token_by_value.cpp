// rule: F1
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void finish(ag::memory_graph& g, ag::alloc_node<float> x) { g.add_free(ag::after(x), std::move(x)); }
void free_it(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    finish(g, x);
#else
    finish(g, std::move(x));
#endif
}
