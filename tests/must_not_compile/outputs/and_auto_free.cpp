// rule: X2
// expect: because_auto_free_would_free_the_outputs_choose_one
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    auto y = g.add_alloc<float>(1024);
#ifdef MISTAKE
    return std::move(g).instantiate(ag::outputs(std::move(x)), ag::auto_free(std::move(y)));
#else
    return std::move(g).instantiate(ag::auto_free(std::move(x), std::move(y)));
#endif
}
