// rule: G10
// expect: because_the_executable_would_not_see_them_add_nodes_before_instantiate
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto extend(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    auto exec = std::move(g).instantiate();
    exec.add_free(ag::after(x), std::move(x));
#else
    g.add_free(ag::after(x), std::move(x));
    auto exec = std::move(g).instantiate();
#endif
    return exec;
}
