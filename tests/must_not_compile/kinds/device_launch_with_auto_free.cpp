// rule: G8
// expect: because_a_graph_with_memory_nodes_cannot_be_launched_from_the_device
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    return std::move(g).instantiate(ag::auto_free(std::move(x)), ag::device_launch);
#else
    return std::move(g).instantiate(ag::auto_free(std::move(x)));
#endif
}
