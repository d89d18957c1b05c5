// rule: G10
// expect: because_the_executable_would_not_see_them_add_nodes_before_instantiate
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void extend(ag::memory_graph& g, ag::kernel_node k) {
    auto exec = std::move(g).instantiate();
#ifdef MISTAKE
    auto x = exec.add_alloc<float>(ag::after(k), 1024);
#else
    auto again = std::move(exec).release_graph();
    auto x = again.add_alloc<float>(ag::after(k), 1024);
#endif
}
