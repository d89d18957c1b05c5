// rule: G6
// expect: because_a_node_of_a_graph_is_changed_through_get_unchecked
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void resize(ag::memory_graph& g, CUgraphNodeParams& parameters) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    cuGraphNodeSetParams(x, &parameters);
#else
    (void)parameters;
    g.add_free(ag::after(x), std::move(x));
    auto y = g.add_alloc<float>(2048);
#endif
}
