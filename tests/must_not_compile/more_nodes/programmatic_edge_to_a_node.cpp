// rule: D8
// expect: because_only_a_kernel_can_start_before_a_kernel_has_ended
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void join(ag::memory_graph& g, ag::kernel_node first, ag::node second) {
#else
void join(ag::memory_graph& g, ag::kernel_node first, ag::kernel_node second) {
#endif
    g.add_programmatic_dependency(first, second);
}
