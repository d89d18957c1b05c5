// rule: F1
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    auto later = [&g, x]() mutable { g.add_free(ag::after(x), std::move(x)); };
#else
    auto later = [&g, x = std::move(x)]() mutable { g.add_free(ag::after(x), std::move(x)); };
#endif
    later();
}
