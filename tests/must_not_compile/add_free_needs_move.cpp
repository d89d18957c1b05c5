// rule: F1
// expect: because_the_free_spends_the_allocation_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_without_move(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_free(ag::after(x), x);
#endif
    g.add_free(ag::after(x), std::move(x));
}
