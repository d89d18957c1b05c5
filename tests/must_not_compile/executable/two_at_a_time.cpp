// rule: G5
// expect: because_the_executable_holds_the_graph_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void run(ag::memory_graph& g) {
    auto first = std::move(g).instantiate();
#ifdef MISTAKE
    auto second = g.instantiate();
#else
    auto second = std::move(first).release_graph().instantiate();
#endif
}
