// rule: O3
// expect: O3_the_free_is_not_ordered_after_a_node_that_uses_the_allocation
// expect(g++): free_before_the_last_of_two_lanes.cpp:19:
// expect(clang++): free_before_the_last_of_two_lanes.cpp:19:
// expect(nvcc): free_before_the_last_of_two_lanes.cpp(19)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    const ag::kernel<void(const float*)> sum("sum");
    auto x = g.template add_alloc<float>(1024);
    auto left = g.add_kernel(ag::after(x), sum, ag::grid_for(1024), x.data());
    auto right = g.add_kernel(ag::after(x), sum, ag::grid_for(1024), x.data());
    auto further = g.add_empty(ag::after(right));
#ifdef MISTAKE
    g.add_free(ag::after(further), std::move(x));
#else
    g.add_free(ag::after(left, further), std::move(x));
#endif
    static_cast<void>(left);
};
static_assert(ag::prove(program));
