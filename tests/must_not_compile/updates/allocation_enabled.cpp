// rule: G6
// expect: because_nothing_of_an_allocation_or_its_free_can_be_changed
#include <allograph/allograph.hpp>

namespace ag = allograph;

void ask(ag::graph_exec<ag::graph_kind::memory, ag::checking::on>& exec, const ag::alloc_node<int>& x, ag::memset_node n) {
#ifdef MISTAKE
    (void)exec.is_enabled(x);
#else
    (void)exec.is_enabled(n);
#endif
    (void)n;
    (void)x;
}
