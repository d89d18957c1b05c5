// rule: G10
// expect: because_the_executable_would_not_see_them_add_nodes_before_instantiate
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void extend(ag::memory_graph& g, ag::kernel_node a, ag::kernel_node b) {
#ifdef MISTAKE
    auto exec = std::move(g).instantiate();
    exec.add_dependency(a, b);
#else
    g.add_dependency(a, b);
    auto exec = std::move(g).instantiate();
#endif
}
