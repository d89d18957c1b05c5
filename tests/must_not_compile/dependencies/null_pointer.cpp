// rule: D5
// expect: because_a_pointer_has_no_count_write_a_span_or_a_range
#include <allograph/allograph.hpp>

namespace ag = allograph;

void root(ag::memory_graph& g) {
#ifdef MISTAKE
    g.add_empty(nullptr);
#else
    g.add_empty();
#endif
}
