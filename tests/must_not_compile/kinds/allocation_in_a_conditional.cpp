// rule: C8
// expect: because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

using body = ag::basic_graph<ag::graph_kind::conditional_body>;
void fill(body& inner, ag::memory_graph& outer) {
#ifdef MISTAKE
    (void)outer;
    auto x = inner.add_alloc<float>(1024);
#else
    auto x = outer.add_alloc<float>(1024);
    inner.add_memset(x.span(), 0.0f);
#endif
}
