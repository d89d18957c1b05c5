// rule: C20
// expect: because_the_capture_holds_the_graph_write_std_move
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void capture(ag::memory_graph& g, const ag::stream& stream) {
#ifdef MISTAKE
    auto scope = g.capture(stream);
#else
    auto scope = std::move(g).capture(stream);
#endif
}
