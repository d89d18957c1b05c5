// rule: C3
// expect: because_a_graph_that_another_holds_is_no_child_again
#include <allograph/allograph.hpp>

namespace ag = allograph;

using body = ag::basic_graph<ag::graph_kind::conditional_body>;
#ifdef MISTAKE
void nest(ag::graph& parent, const body& child) {
#else
void nest(ag::graph& parent, const ag::graph& child) {
#endif
    parent.add_child(child);
}
