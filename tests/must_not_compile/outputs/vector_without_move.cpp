// rule: F1
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>
#include <vector>

namespace ag = allograph;

auto run(ag::memory_graph& g, std::vector<ag::alloc_node<float>> all) {
#ifdef MISTAKE
    return std::move(g).instantiate(ag::outputs(all));
#else
    return std::move(g).instantiate(ag::outputs(std::move(all)));
#endif
}
