// rule: D1
// expect: because_a_root_has_no_dependencies_leave_after_out
#include <allograph/allograph.hpp>

namespace ag = allograph;

void root(ag::memory_graph& g) {
#ifdef MISTAKE
    g.add_empty(ag::after());
#else
    g.add_empty();
#endif
}
