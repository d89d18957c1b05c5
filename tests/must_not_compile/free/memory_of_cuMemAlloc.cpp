// rule: F2
// expect: because_only_an_alloc_node_can_be_freed
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g, CUdeviceptr foreign) {
#ifdef MISTAKE
    g.add_free(ag::device_ptr<float>(foreign));
#else
    (void)foreign;
    g.add_free(g.add_alloc<float>(1024));
#endif
}
