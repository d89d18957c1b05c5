// rule: X2
// expect: because_options_are_types_write_outputs_auto_free_upload_to_or_use_node_priorities
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g, ag::alloc_node<float> x) {
#ifdef MISTAKE
    return std::move(g).instantiate(std::move(x));
#else
    return std::move(g).instantiate(ag::outputs(std::move(x)));
#endif
}
