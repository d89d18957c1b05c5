// rule: F7
// expect(g++): cannot convert
// expect(clang++): conversion from
// expect(nvcc): no suitable conversion function from
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    cuMemFree(x);
#else
    g.add_free(ag::after(x), std::move(x));
#endif
}
