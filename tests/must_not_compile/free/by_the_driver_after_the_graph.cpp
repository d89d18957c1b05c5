// rule: F6
// expect(g++): cannot convert
// expect(clang++): conversion from
// expect(nvcc): no suitable conversion function from
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    const auto address = x.data();
#ifdef MISTAKE
    cuMemFree(address);
#else
    (void)address;
#endif
    g.add_free(ag::after(x), std::move(x));
}
