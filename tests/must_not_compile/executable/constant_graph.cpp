// rule: G5
// expect: because_the_executable_holds_the_graph_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(const ag::memory_graph& g, ag::memory_graph& mine) {
#ifdef MISTAKE
    (void)mine;
    return g.instantiate();
#else
    (void)g;
    return std::move(mine).instantiate();
#endif
}
