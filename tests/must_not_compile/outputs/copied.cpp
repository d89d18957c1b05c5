// rule: F1
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto results = ag::outputs(g.add_alloc<float>(1024));
#ifdef MISTAKE
    auto twin = results;
#else
    auto twin = std::move(results);
#endif
    return std::move(g).instantiate(std::move(twin));
}
