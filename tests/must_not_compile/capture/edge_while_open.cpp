// rule: C20
// expect: because_a_capture_into_the_graph_is_open_end_it_first
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void extend(ag::memory_graph& g, const ag::stream& stream, ag::node first) {
    auto scope = std::move(g).capture(stream);
#ifdef MISTAKE
    scope.add_dependency(first, first);
#endif
    auto [graph, captured] = std::move(scope).end();
    graph.add_dependency(first, captured.after().front());
}
