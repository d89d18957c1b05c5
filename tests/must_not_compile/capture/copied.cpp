// rule: C20
// expect: because_only_capture_of_a_graph_opens_a_capture_scope
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void copy(ag::memory_graph& g, const ag::stream& stream) {
    auto scope = std::move(g).capture(stream);
#ifdef MISTAKE
    auto second = scope;
#endif
}
