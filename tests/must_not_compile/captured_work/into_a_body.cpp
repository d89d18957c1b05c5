// rule: C11
// expect: because_work_is_captured_into_a_graph_of_its_own_not_a_child_or_a_body
#include <allograph/capture.hpp>

namespace ag = allograph;

void library_call(CUstream);

void call(ag::graph& g, ag::basic_graph<ag::graph_kind::conditional_body>& body) {
    const auto first = g.add_empty();
#ifdef MISTAKE
    body.add_captured(ag::after(first), library_call, ag::uses());
#else
    (void)body;
    g.add_captured(ag::after(first), library_call, ag::uses());
#endif
}
