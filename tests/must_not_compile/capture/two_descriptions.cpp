// rule: C12
// expect: because_a_capture_describes_one_graph_write_std_move
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

auto keep(ag::captured<>& work) {
#ifdef MISTAKE
    return ag::captured<>(work);
#else
    return ag::captured<>(std::move(work));
#endif
}
