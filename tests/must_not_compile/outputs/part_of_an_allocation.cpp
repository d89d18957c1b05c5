// rule: F2
// expect: because_what_leaves_a_graph_are_alloc_nodes_or_one_vector_of_them
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    return std::move(g).instantiate(ag::outputs(x.span().first(16)));
#else
    return std::move(g).instantiate(ag::outputs(std::move(x)));
#endif
}
