// rule: F10
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    return std::move(g).instantiate(ag::outputs(x));
#else
    return std::move(g).instantiate(ag::outputs(std::move(x)));
#endif
}
