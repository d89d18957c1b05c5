// rule: X2
// expect: because_a_graph_without_memory_nodes_has_no_outputs_use_memory_graph
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::graph& plain, ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    return plain.instantiate(ag::auto_free(std::move(x)));
#else
    (void)plain;
    return std::move(g).instantiate(ag::auto_free(std::move(x)));
#endif
}
