// rule: A8 A10
// expect: because_an_allocation_is_a_count_of_elements
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g, ag::kernel_node k) {
#ifdef MISTAKE
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    parameters.bytesize = 4096;
    return g.add_alloc<float>(ag::after(k), parameters);
#else
    return g.add_alloc<float>(ag::after(k), 1024);
#endif
}
