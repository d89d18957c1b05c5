// rule: A14
// expect(g++): to non-scalar type
// expect(clang++): no viable conversion from
// expect(nvcc): no suitable
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    ag::alloc_node<double> x = g.add_alloc<float>(1024);
#else
    ag::alloc_node<double> x = g.add_alloc<double>(1024);
#endif
    return x;
}
