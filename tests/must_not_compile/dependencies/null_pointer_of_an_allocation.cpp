// rule: D5
// expect: because_a_pointer_has_no_count_write_a_span_or_a_range
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto root(ag::memory_graph& g) {
#ifdef MISTAKE
    return g.add_alloc<float>(nullptr, 1024);
#else
    return g.add_alloc<float>({}, 1024);
#endif
}
