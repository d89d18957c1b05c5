// rule: C9
// expect: because_a_condition_is_made_first_and_named_write_make_condition
#include <allograph/allograph.hpp>

namespace ag = allograph;

void build(ag::graph& g) {
#ifdef MISTAKE
    g.add_if({}, 1u);
#else
    auto decides = g.make_condition(1u);
    g.add_if({}, decides);
#endif
}
