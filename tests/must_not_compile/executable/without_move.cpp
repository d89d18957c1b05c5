// rule: G5
// expect: because_the_executable_holds_the_graph_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
#ifdef MISTAKE
    return g.instantiate();
#else
    return std::move(g).instantiate();
#endif
}
