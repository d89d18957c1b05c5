// rule: G4
// expect: because_parent_and_child_check_both_or_neither
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
void nest(ag::graph& parent, const ag::unchecked_graph& child) {
#else
void nest(ag::unchecked_graph& parent, const ag::unchecked_graph& child) {
#endif
    parent.add_child(child);
}
