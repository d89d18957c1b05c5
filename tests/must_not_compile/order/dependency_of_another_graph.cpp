// rule: D3
// expect: D3_a_dependency_is_a_node_of_another_graph
// expect(g++): dependency_of_another_graph.cpp:18:
// expect(clang++): dependency_of_another_graph.cpp:18:
// expect(nvcc): dependency_of_another_graph.cpp(18)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    const ag::kernel<void()> nothing("nothing");
    ag::static_graph<16, 16> other(false, 2);
    auto foreign = other.add_empty();
    auto own = g.add_empty();
#ifdef MISTAKE
    g.add_kernel(ag::after(own, foreign), nothing, ag::grid_for(1));
#else
    g.add_kernel(ag::after(own), nothing, ag::grid_for(1));
#endif
    static_cast<void>(foreign);
};
static_assert(ag::prove(program));
