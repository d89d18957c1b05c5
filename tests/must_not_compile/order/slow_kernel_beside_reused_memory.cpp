// rule: O3
// expect: O3_the_free_is_not_ordered_after_a_node_that_uses_the_allocation
// expect(g++): slow_kernel_beside_reused_memory.cpp:19:
// expect(clang++): slow_kernel_beside_reused_memory.cpp:19:
// expect(nvcc): slow_kernel_beside_reused_memory.cpp(19)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    const ag::kernel<void(float*)> fill("fill");
    const ag::kernel<void(int*)> spin_then_fill("spin_then_fill");
    // The kernel is slow, the free does not wait for it, and b is placed where a was: most of b ends up overwritten.
    auto a = g.template add_alloc<int>(1 << 20, ag::named("a"));
    auto slow = g.add_kernel(ag::after(a), spin_then_fill, ag::grid_for(1 << 20), a.data());
#ifdef MISTAKE
    auto freed = g.add_free(ag::after(a), std::move(a));
#else
    auto freed = g.add_free(ag::after(slow), std::move(a));
#endif
    auto b = g.template add_alloc<int>(ag::after(freed), 1 << 20, ag::named("b"));
    auto set = g.add_memset(ag::after(b), b.span(), 7);
    static_cast<void>(slow);
    static_cast<void>(set);
    return ag::outputs(std::move(b));
};
static_assert(ag::prove(program));
