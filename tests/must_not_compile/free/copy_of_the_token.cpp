// rule: F1
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    auto y = x;
#else
    auto y = std::move(x);
#endif
    g.add_free(ag::after(y), std::move(y));
}
