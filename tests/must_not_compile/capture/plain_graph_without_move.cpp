// rule: C20
// expect: because_the_capture_holds_the_graph_write_std_move
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void capture(ag::graph& g, const ag::stream& stream, ag::node first) {
#ifdef MISTAKE
    auto scope = g.capture(stream, ag::after(first));
#else
    auto scope = std::move(g).capture(stream, ag::after(first));
#endif
}
