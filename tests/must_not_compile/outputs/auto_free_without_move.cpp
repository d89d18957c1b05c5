// rule: X2
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    return std::move(g).instantiate(ag::auto_free(x));
#else
    return std::move(g).instantiate(ag::auto_free(std::move(x)));
#endif
}
