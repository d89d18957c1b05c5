// rule: G6
// expect(g++): cannot convert
// expect(clang++): conversion from
// expect(nvcc): no suitable conversion function from
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void resize(ag::memory_graph& g, CUgraphNodeParams& parameters) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    cuGraphNodeSetParams(x, &parameters);
#else
    (void)parameters;
    g.add_free(ag::after(x), std::move(x));
    auto y = g.add_alloc<float>(2048);
#endif
}
