// rule: D7
// expect: D7_the_edge_would_close_a_cycle
// expect(g++): cycle.cpp:18:
// expect(clang++): cycle.cpp:18:
// expect(nvcc): cycle.cpp(18)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    auto first = g.add_empty();
    auto second = g.add_empty(ag::after(first));
    auto third = g.add_empty();
    g.add_dependency(second, third);
#ifdef MISTAKE
    g.add_dependency(third, first);
#endif
};
static_assert(ag::prove(program));
