// rule: F1
// expect: because_the_free_spends_the_allocation_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_free(x);
#else
    g.add_free(std::move(x));
#endif
}
