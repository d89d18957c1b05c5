// rule: C14
// expect: because_a_host_node_calls_a_function_without_arguments
#include <allograph/allograph.hpp>

namespace ag = allograph;

void call(ag::memory_graph& g, CUhostFn function, void* data) {
#ifdef MISTAKE
    (void)data;
    g.add_host(function, data);
#else
    g.add_host([=] { function(data); });
#endif
}
