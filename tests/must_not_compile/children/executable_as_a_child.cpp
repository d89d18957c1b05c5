// rule: C5
// expect: because_a_graph_inside_of_its_executable_is_no_child_write_release_graph
#include <allograph/allograph.hpp>

namespace ag = allograph;

void nest(ag::memory_graph& parent, ag::memory_graph& child) {
    auto exec = std::move(child).instantiate();
#ifdef MISTAKE
    parent.add_child(std::move(exec));
#else
    parent.add_child(std::move(exec).release_graph());
#endif
}
