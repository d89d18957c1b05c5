// rule: G10
// expect: because_the_executable_would_not_see_them_add_nodes_before_instantiate
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void extend(ag::memory_graph& g, ag::device_span<float> memory) {
    auto exec = std::move(g).instantiate();
#ifdef MISTAKE
    exec.add_memset(memory, 0.0f);
#else
    auto again = std::move(exec).release_graph();
    again.add_memset(memory, 0.0f);
#endif
}
