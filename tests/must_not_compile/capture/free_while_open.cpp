// rule: C20
// expect: because_a_capture_into_the_graph_is_open_end_it_first
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void extend(ag::memory_graph& g, const ag::stream& stream, ag::alloc_node<float> x) {
    auto scope = std::move(g).capture(stream);
#ifdef MISTAKE
    scope.add_free(std::move(x));
#endif
    auto [graph, captured] = std::move(scope).end();
    graph.add_free(captured.after(), std::move(x));
}
