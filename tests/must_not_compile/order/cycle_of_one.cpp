// rule: D7
// expect: D7_the_edge_would_close_a_cycle
// expect(g++): cycle_of_one.cpp:16:
// expect(clang++): cycle_of_one.cpp:16:
// expect(nvcc): cycle_of_one.cpp(16)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    auto first = g.add_empty();
    auto second = g.add_empty();
#ifdef MISTAKE
    g.add_dependency(second, second);
#else
    g.add_dependency(second, first);
#endif
    static_cast<void>(first);
};
static_assert(ag::prove(program));
