// rule: F10
// expect: because_the_outputs_are_taken_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g) {
    auto results = ag::outputs(g.add_alloc<float>(1024));
#ifdef MISTAKE
    return std::move(g).instantiate(results);
#else
    return std::move(g).instantiate(std::move(results));
#endif
}
