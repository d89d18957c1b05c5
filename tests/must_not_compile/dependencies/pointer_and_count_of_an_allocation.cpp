// rule: D5
// expect: because_a_pointer_has_no_count_write_a_span_or_a_range
#include <allograph/allograph.hpp>

#include <span>

namespace ag = allograph;

auto allocate(ag::memory_graph& g, const CUgraphNode* before, std::size_t count) {
#ifdef MISTAKE
    return g.add_alloc<float>(before, count, 1024);
#else
    return g.add_alloc<float>(std::span(before, count), 1024);
#endif
}
