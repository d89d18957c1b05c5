// rule: G7
// expect: because_a_graph_with_memory_nodes_cannot_be_launched_from_the_device
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::graph& plain, ag::memory_graph& g) {
#ifdef MISTAKE
    (void)plain;
    return std::move(g).instantiate(ag::device_launch);
#else
    (void)g;
    return plain.instantiate(ag::device_launch);
#endif
}
