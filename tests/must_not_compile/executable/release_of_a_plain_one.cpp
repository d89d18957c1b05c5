// rule: G5
// expect: because_an_executable_of_a_plain_graph_does_not_hold_it
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto take_back(ag::graph& plain, ag::memory_graph& g) {
#ifdef MISTAKE
    (void)g;
    return plain.instantiate().release_graph();
#else
    (void)plain;
    return std::move(g).instantiate().release_graph();
#endif
}
