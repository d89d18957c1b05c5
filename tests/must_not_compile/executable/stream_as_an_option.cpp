// rule: X12
// expect: because_options_are_types_write_outputs_auto_free_upload_to_or_use_node_priorities
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto run(ag::memory_graph& g, ag::stream& s) {
#ifdef MISTAKE
    return std::move(g).instantiate(s);
#else
    return std::move(g).instantiate(ag::upload_to{s});
#endif
}
