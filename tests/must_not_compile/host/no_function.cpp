// rule: C14
// expect: because_a_host_node_calls_a_function_without_arguments
#include <allograph/allograph.hpp>

namespace ag = allograph;

void call(ag::memory_graph& g, ag::kernel_node k) {
    int done = 0;
#ifdef MISTAKE
    g.add_host(ag::after(k), done);
#else
    g.add_host(ag::after(k), [&done] { ++done; });
#endif
}
