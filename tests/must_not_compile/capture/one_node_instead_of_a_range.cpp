// rule: C19
// expect: because_one_node_is_not_a_range_write_after_node
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void capture(ag::memory_graph& g, const ag::stream& stream, ag::node first) {
#ifdef MISTAKE
    auto scope = std::move(g).capture(stream, first);
#else
    auto scope = std::move(g).capture(stream, ag::after(first));
#endif
}
