// rule: D4
// expect: because_these_are_no_nodes_write_what_the_add_members_return
#include <allograph/allograph.hpp>

#include <array>

namespace ag = allograph;

void join(ag::memory_graph& g, ag::kernel_node k) {
#ifdef MISTAKE
    g.add_empty(std::array{0, 1});
#else
    g.add_empty(std::array{k});
#endif
}
