// rule: D6
// expect: D6_the_edge_is_there_already
// expect(g++): edge_twice.cpp:17:
// expect(clang++): edge_twice.cpp:17:
// expect(nvcc): edge_twice.cpp(17)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    auto first = g.add_empty();
    auto second = g.add_empty(ag::after(first));
    auto third = g.add_empty();
#ifdef MISTAKE
    g.add_dependency(first, second);
#endif
    g.add_dependency(second, third);
};
static_assert(ag::prove(program));
