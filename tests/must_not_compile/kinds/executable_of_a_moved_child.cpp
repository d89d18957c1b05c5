// rule: C2
// expect: because_only_a_graph_of_its_own_is_instantiated_not_a_child_or_a_body
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

using child = ag::basic_graph<ag::graph_kind::moved_child>;
auto run(child& moved, ag::memory_graph& parent) {
#ifdef MISTAKE
    (void)parent;
    return std::move(moved).instantiate();
#else
    (void)moved;
    return std::move(parent).instantiate();
#endif
}
