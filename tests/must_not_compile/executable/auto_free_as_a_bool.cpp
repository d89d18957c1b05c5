// rule: X2
// expect: because_options_are_types_write_outputs_auto_free_upload_to_or_use_node_priorities
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g, ag::alloc_node<float> x) {
#ifdef MISTAKE
    (void)x;
    return std::move(g).instantiate(true);
#else
    return std::move(g).instantiate(ag::auto_free(std::move(x)));
#endif
}
