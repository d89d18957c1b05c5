// rule: F7
// expect(g++): cannot convert
// expect(clang++): conversion from
// expect(nvcc): no suitable conversion function from
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g, CUstream stream) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    cuMemFreeAsync(x.data(), stream);
#else
    (void)stream;
    g.add_free(ag::after(x), std::move(x));
#endif
}
