// rule: F4
// expect: because_only_graphs_that_both_check_or_both_do_not_share_allocations
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_in_another(ag::unchecked_memory_graph& g, ag::unchecked_memory_graph& unchecked, ag::memory_graph& checked) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    checked.add_free(ag::after(x), std::move(x));
#else
    (void)checked;
    unchecked.add_free(ag::after(x), std::move(x));
#endif
}
