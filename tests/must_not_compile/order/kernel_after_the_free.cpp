// rule: O2
// expect: O2_a_node_uses_an_allocation_after_its_free
// expect(g++): kernel_after_the_free.cpp:18:
// expect(clang++): kernel_after_the_free.cpp:18:
// expect(nvcc): kernel_after_the_free.cpp(18)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    const ag::kernel<void(float*)> fill("fill");
    auto x = g.template add_alloc<float>(1024);
    auto memory = x.data();
#ifdef MISTAKE
    auto freed = g.add_free(ag::after(x), std::move(x));
    g.add_kernel(ag::after(freed), fill, ag::grid_for(1024), memory);
#else
    auto k = g.add_kernel(ag::after(x), fill, ag::grid_for(1024), memory);
    g.add_free(ag::after(k), std::move(x));
#endif
};
static_assert(ag::prove(program));
