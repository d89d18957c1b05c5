// rule: G5
// expect: because_the_executable_holds_the_graph_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g, ag::alloc_node<float> x) {
#ifdef MISTAKE
    return g.instantiate(ag::outputs(std::move(x)), ag::use_node_priorities);
#else
    return std::move(g).instantiate(ag::outputs(std::move(x)), ag::use_node_priorities);
#endif
}
