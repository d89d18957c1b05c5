// rule: G2
// expect: because_no_node_of_a_graph_with_memory_nodes_can_be_destroyed
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void remove(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.destroy_node(x);
#else
    g.add_free(ag::after(x), std::move(x));
#endif
}
