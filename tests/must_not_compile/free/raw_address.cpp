// rule: F2
// expect: because_only_an_alloc_node_can_be_freed
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g, ag::kernel_node last) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    const CUdeviceptr address = x.data().address();
    g.add_free(ag::after(last), address);
#else
    g.add_free(ag::after(last), std::move(x));
#endif
}
