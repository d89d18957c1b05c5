// rule: C4 G2
// expect: because_no_node_of_a_graph_with_memory_nodes_can_be_destroyed
#include <allograph/allograph.hpp>

namespace ag = allograph;

using moved = ag::basic_graph<ag::graph_kind::moved_child>;
#ifdef MISTAKE
void remove(moved& inside, ag::node n) {
#else
void remove(ag::graph& inside, ag::node n) {
#endif
    inside.destroy_node(n);
}
