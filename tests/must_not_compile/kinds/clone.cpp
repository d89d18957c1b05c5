// rule: G1
// expect: because_a_graph_with_memory_nodes_cannot_be_cloned
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto twin(const ag::graph& plain, const ag::memory_graph& g) {
#ifdef MISTAKE
    (void)plain;
    return g.clone();
#else
    (void)g;
    return plain.clone();
#endif
}
