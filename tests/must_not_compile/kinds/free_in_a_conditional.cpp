// rule: C10
// expect: because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

using body = ag::basic_graph<ag::graph_kind::conditional_body>;
void fill(body& inner, ag::memory_graph& outer, ag::kernel_node last) {
    auto x = outer.add_alloc<float>(1024);
#ifdef MISTAKE
    inner.add_free(ag::after(last), std::move(x));
#else
    (void)inner;
    outer.add_free(ag::after(last), std::move(x));
#endif
}
