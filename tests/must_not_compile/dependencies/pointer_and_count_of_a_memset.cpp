// rule: D5
// expect: because_a_pointer_has_no_count_write_a_span_or_a_range
#include <allograph/allograph.hpp>

#include <span>

namespace ag = allograph;

void clear(ag::memory_graph& g, const ag::node* before, std::size_t count, ag::device_span<float> x) {
#ifdef MISTAKE
    g.add_memset(before, count, x, 0.0f);
#else
    g.add_memset(std::span(before, count), x, 0.0f);
#endif
}
