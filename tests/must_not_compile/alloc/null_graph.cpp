// rule: A10
// expect: because_a_graph_makes_its_own_handle_name_its_device
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto make() {
#ifdef MISTAKE
    return ag::memory_graph(nullptr);
#else
    return ag::memory_graph(ag::device{0});
#endif
}
