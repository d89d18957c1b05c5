// rule: F10
// expect(g++): because_only_add_alloc_makes_an_allocation
// expect(clang++): because_only_add_alloc_makes_an_allocation
// expect(nvcc): the default constructor of "allograph::v0::alloc_node<float, allograph::v0::checking::on>" cannot be referenced
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    ag::alloc_node<float> x;
#else
    auto x = g.add_alloc<float>(1024);
#endif
    return x;
}
