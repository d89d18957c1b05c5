// rule: G5
// expect: because_an_executable_is_not_copied_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto exec = std::move(g).instantiate();
#ifdef MISTAKE
    auto second = exec;
#else
    auto second = std::move(exec);
#endif
    return second;
}
