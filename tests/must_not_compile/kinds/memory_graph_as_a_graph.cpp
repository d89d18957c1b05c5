// rule: G1
// expect: because_a_graph_keeps_its_kind
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto hand_over(ag::memory_graph& g) {
#ifdef MISTAKE
    return ag::graph(std::move(g));
#else
    return ag::memory_graph(std::move(g));
#endif
}
