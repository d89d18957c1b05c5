// rule: C14
// expect: because_a_host_node_calls_a_function_without_arguments
#include <allograph/allograph.hpp>

namespace ag = allograph;

void call(ag::memory_graph& g, ag::kernel_node k) {
#ifdef MISTAKE
    g.add_host(ag::after(k), [](int step) { (void)step; });
#else
    g.add_host(ag::after(k), [step = 3] { (void)step; });
#endif
}
