// rule: C14
// expect: because_a_host_node_calls_a_function_without_arguments
#include <allograph/allograph.hpp>

namespace ag = allograph;

void call(ag::memory_graph& g) {
#ifdef MISTAKE
    g.add_host([](int step) { (void)step; });
#else
    g.add_host([step = 3] { (void)step; });
#endif
}
