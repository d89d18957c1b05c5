// rule: O6
// expect: O6_two_nodes_touch_the_same_memory_in_no_order_and_one_of_them_writes
// expect(g++): two_writers_in_no_order.cpp:17:
// expect(clang++): two_writers_in_no_order.cpp:17:
// expect(nvcc): two_writers_in_no_order.cpp(17)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    const ag::kernel<void(float*)> fill("fill");
    auto x = g.template add_alloc<float>(1024);
    auto z = g.add_memset(ag::after(x), x.span(), 0.0f);
#ifdef MISTAKE
    auto k = g.add_kernel(ag::after(x), fill, ag::grid_for(1024), x.data());
#else
    auto k = g.add_kernel(ag::after(z), fill, ag::grid_for(1024), x.data());
#endif
    auto both = g.add_empty(ag::after(z, k));
    g.add_free(ag::after(both), std::move(x));
};
static_assert(ag::prove(ag::no_races, program));
