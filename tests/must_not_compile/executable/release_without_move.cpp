// rule: G5
// expect: because_releasing_the_graph_ends_the_executable_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto take_back(ag::memory_graph& g) {
    auto exec = std::move(g).instantiate();
#ifdef MISTAKE
    return exec.release_graph();
#else
    return std::move(exec).release_graph();
#endif
}
