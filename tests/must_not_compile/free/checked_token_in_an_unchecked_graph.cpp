// rule: F4
// expect: because_only_graphs_that_both_check_or_both_do_not_share_allocations
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_in_another(ag::memory_graph& g, ag::unchecked_memory_graph& unchecked, ag::memory_graph& checked) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    unchecked.add_free(std::move(x));
#else
    (void)unchecked;
    checked.add_free(std::move(x));
#endif
}
