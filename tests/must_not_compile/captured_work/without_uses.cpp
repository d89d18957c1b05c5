// rule: C11
// expect: because_what_captured_work_touches_is_said_in_uses
#include <allograph/capture.hpp>

namespace ag = allograph;

void library_call(CUstream);

void call(ag::memory_graph& g, const ag::alloc_node<float>& x) {
#ifdef MISTAKE
    g.add_captured(ag::after(x), library_call);
#else
    g.add_captured(ag::after(x), library_call, ag::uses(ag::writes(x)));
#endif
}
