// rule: D2
// expect: D2_a_dependency_stands_twice
// expect(g++): dependency_twice.cpp:16:
// expect(clang++): dependency_twice.cpp:16:
// expect(nvcc): dependency_twice.cpp(16)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    auto first = g.add_empty();
    auto second = g.add_empty(ag::after(first));
#ifdef MISTAKE
    g.add_empty(ag::after(first, second, first));
#else
    g.add_empty(ag::after(first, second));
#endif
};
static_assert(ag::prove(program));
