// rule: X9
// expect: X9_a_node_uses_freed_memory_that_may_belong_to_another_allocation_by_now
// expect(g++): kernel_on_reused_memory.cpp:20:
// expect(clang++): kernel_on_reused_memory.cpp:20:
// expect(nvcc): kernel_on_reused_memory.cpp(20)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    const ag::kernel<void(float*)> fill("fill");
    // y takes the bytes that x had: a kernel that still writes to x destroys y.
    auto x = g.template add_alloc<float>(1 << 20);
    auto old = x.data();
    auto freed = g.add_free(ag::after(x), std::move(x));
    auto y = g.template add_alloc<float>(ag::after(freed), 1 << 20);
#ifdef MISTAKE
    auto k = g.add_kernel(ag::after(y), fill, ag::grid_for(1 << 20), old);
#else
    auto k = g.add_kernel(ag::after(y), fill, ag::grid_for(1 << 20), y.data());
#endif
    g.add_free(ag::after(k), std::move(y));
    static_cast<void>(old);
};
static_assert(ag::prove(program));
