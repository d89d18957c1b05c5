// rule: D5
// expect: because_dependencies_are_made_for_one_call_keep_the_range_instead
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

void joins(ag::memory_graph& g, const std::vector<ag::node>& before) {
#ifdef MISTAKE
    const ag::dependencies kept(before);
    const auto again = kept;
#else
    const auto again = before;
#endif
    g.add_empty(again);
}
