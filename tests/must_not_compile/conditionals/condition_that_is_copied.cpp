// rule: C9
// expect: because_a_condition_belongs_to_one_node_pass_it_by_reference
#include <allograph/allograph.hpp>

namespace ag = allograph;

void build(ag::graph& g) {
    auto decides = g.make_condition(1);
#ifdef MISTAKE
    auto again = decides;
#else
    auto& again = decides;
#endif
    g.add_if({}, again);
}
