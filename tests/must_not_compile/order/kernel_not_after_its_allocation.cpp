// rule: O1
// expect: O1_a_node_uses_an_allocation_but_is_not_ordered_after_it
// expect(g++): kernel_not_after_its_allocation.cpp:18:
// expect(clang++): kernel_not_after_its_allocation.cpp:18:
// expect(nvcc): kernel_not_after_its_allocation.cpp(18)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    const ag::kernel<void(float*)> fill("fill");
    auto x = g.template add_alloc<float>(1024);
    auto ready = g.add_empty(ag::after(x));
#ifdef MISTAKE
    auto start = g.add_empty();
    auto k = g.add_kernel(ag::after(start), fill, ag::grid_for(1024), x.data());
#else
    auto k = g.add_kernel(ag::after(ready), fill, ag::grid_for(1024), x.data());
#endif
    g.add_free(ag::after(k, ready), std::move(x));
};
static_assert(ag::prove(program));
