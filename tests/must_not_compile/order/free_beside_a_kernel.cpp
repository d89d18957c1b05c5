// rule: O3
// expect: O3_the_free_is_not_ordered_after_a_node_that_uses_the_allocation
// expect(g++): free_beside_a_kernel.cpp:18:
// expect(clang++): free_beside_a_kernel.cpp:18:
// expect(nvcc): free_beside_a_kernel.cpp(18)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    const ag::kernel<void(float*)> fill("fill");
    auto x = g.template add_alloc<float>(1024);
    auto z = g.add_memset(ag::after(x), x.span(), 0.0f);
    auto k = g.add_kernel(ag::after(z), fill, ag::grid_for(1024), x.data());
#ifdef MISTAKE
    g.add_free(ag::after(z), std::move(x));
#else
    g.add_free(ag::after(k), std::move(x));
#endif
    static_cast<void>(k);
};
static_assert(ag::prove(program));
