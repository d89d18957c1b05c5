// rule: D5
// expect: because_a_pointer_has_no_count_write_a_span_or_a_range
#include <allograph/allograph.hpp>

#include <span>

namespace ag = allograph;

void join(ag::memory_graph& g, const CUgraphNode* before, std::size_t count) {
#ifdef MISTAKE
    g.add_empty(before, count);
#else
    g.add_empty(std::span(before, count));
#endif
}
