// rule: X2
// expect: because_what_leaves_a_graph_are_alloc_nodes_or_one_vector_of_them
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    auto m = g.add_memset(ag::after(x), x.span(), 0.0f);
#ifdef MISTAKE
    return std::move(g).instantiate(ag::auto_free(std::move(m)));
#else
    (void)m;
    return std::move(g).instantiate(ag::auto_free(std::move(x)));
#endif
}
