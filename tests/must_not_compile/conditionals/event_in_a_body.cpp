// rule: C8
// expect: because_the_body_of_a_conditional_holds_kernels_memsets_memcpys_children_and_conditionals_alone
#include <allograph/allograph.hpp>

namespace ag = allograph;

void build(ag::graph& g, ag::condition& decides, CUevent_st* event) {
    auto when = g.add_if({}, decides);
#ifdef MISTAKE
    when.body.add_event_record({}, event);
#else
    g.add_event_record(ag::after(when.node), event);
#endif
}
