// rule: G1
// expect: because_a_graph_is_not_copied_silently_write_clone_or_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void replace(ag::memory_graph& old, ag::memory_graph& g) {
#ifdef MISTAKE
    old = g;
#else
    old = std::move(g);
#endif
}
