// rule: G1
// expect: because_a_graph_is_not_copied_silently_write_clone_or_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto twin(ag::memory_graph& g) {
#ifdef MISTAKE
    ag::memory_graph other = g;
#else
    ag::memory_graph other = std::move(g);
#endif
    return other;
}
