// rule: F2
// expect: because_only_an_alloc_node_can_be_freed
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_free(ag::after(x), x.span());
#else
    g.add_free(ag::after(x), std::move(x));
#endif
}
