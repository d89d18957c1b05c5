// rule: C20
// expect: because_a_capture_ends_once_write_std_move
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void end(ag::memory_graph& g, const ag::stream& stream) {
    auto scope = std::move(g).capture(stream);
#ifdef MISTAKE
    scope.end();
#else
    auto [graph, captured] = std::move(scope).end();
#endif
}
