// rule: C1
// expect: because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

using child = ag::basic_graph<ag::graph_kind::moved_child>;
void extend(child& moved, ag::kernel_node k) {
#ifdef MISTAKE
    auto x = moved.add_alloc<float>(ag::after(k), 1024);
#else
    auto x = moved.add_empty(ag::after(k));
#endif
    (void)x;
}
