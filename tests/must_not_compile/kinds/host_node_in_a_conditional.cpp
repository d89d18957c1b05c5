// rule: C8
// expect: because_the_body_of_a_conditional_holds_no_host_node
#include <allograph/allograph.hpp>

namespace ag = allograph;

using body = ag::basic_graph<ag::graph_kind::conditional_body>;
void fill(body& inner, ag::memory_graph& outer) {
#ifdef MISTAKE
    (void)outer;
    inner.add_host([] {});
#else
    (void)inner;
    outer.add_host([] {});
#endif
}
