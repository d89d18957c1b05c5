// rule: F2
// expect: because_only_an_alloc_node_can_be_freed
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g, ag::stream_buffer<float> result, ag::kernel_node last) {
#ifdef MISTAKE
    g.add_free(ag::after(last), std::move(result));
#else
    (void)g, (void)last;
    result.free();
#endif
}
