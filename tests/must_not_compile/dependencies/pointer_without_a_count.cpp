// rule: D5
// expect: because_a_pointer_has_no_count_write_a_span_or_a_range
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

void join(ag::memory_graph& g, const std::vector<CUgraphNode>& before) {
#ifdef MISTAKE
    g.add_empty(before.data());
#else
    g.add_empty(before);
#endif
}
