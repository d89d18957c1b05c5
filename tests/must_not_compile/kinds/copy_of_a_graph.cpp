// rule: G1
// expect: because_a_graph_is_not_copied_silently_write_clone_or_std_move
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto twin(const ag::graph& g) {
#ifdef MISTAKE
    ag::graph other = g;
#else
    ag::graph other = g.clone();
#endif
    return other;
}
