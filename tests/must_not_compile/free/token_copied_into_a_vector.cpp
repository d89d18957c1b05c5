// rule: F1
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>
#include <vector>

namespace ag = allograph;

void keep(ag::memory_graph& g, std::vector<ag::alloc_node<float>>& all) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    all.push_back(x);
#else
    all.push_back(std::move(x));
#endif
}
