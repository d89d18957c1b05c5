// rule: C3
// expect: because_a_graph_that_another_holds_is_no_child_again
#include <allograph/allograph.hpp>

namespace ag = allograph;

using moved = ag::basic_graph<ag::graph_kind::moved_child>;
#ifdef MISTAKE
void nest(ag::memory_graph& parent, moved& child) {
#else
void nest(ag::memory_graph& parent, ag::memory_graph& child) {
#endif
    parent.add_child(std::move(child));
}
