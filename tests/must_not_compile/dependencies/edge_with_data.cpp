// rule: D8
// expect: because_an_edge_carries_no_data_leave_it_out
#include <allograph/allograph.hpp>

namespace ag = allograph;

void order(ag::memory_graph& g, ag::kernel_node first, ag::memset_node second) {
#ifdef MISTAKE
    CUgraphEdgeData programmatic{};
    programmatic.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    g.add_dependency(first, second, programmatic);
#else
    g.add_dependency(first, second);
#endif
}
