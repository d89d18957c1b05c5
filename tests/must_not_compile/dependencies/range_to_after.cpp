// rule: D5
// expect: because_after_takes_nodes_write_what_the_add_members_return
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

void join(ag::memory_graph& g, const std::vector<ag::node>& before) {
#ifdef MISTAKE
    g.add_empty(ag::after(before));
#else
    g.add_empty(before);
#endif
}
