// rule: D4
// expect: D4_a_dependency_is_no_node
// expect(g++): dependency_on_no_node.cpp:16:
// expect(clang++): dependency_on_no_node.cpp:16:
// expect(nvcc): dependency_on_no_node.cpp(16)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    auto first = g.add_empty();
#ifdef MISTAKE
    ag::node last;
    g.add_empty(ag::after(first, last));
#else
    g.add_empty(ag::after(first));
#endif
};
static_assert(ag::prove(program));
