// rule: C11
// expect: because_captured_work_takes_a_CUstream_and_returns_nothing_check_each_status_inside
#include <allograph/capture.hpp>

namespace ag = allograph;

int library_call(CUstream);
void check(int status);

void call(ag::memory_graph& g, const ag::alloc_node<float>& x) {
#ifdef MISTAKE
    g.add_captured(ag::after(x), [](CUstream stream) { return library_call(stream); }, ag::uses(ag::writes(x)));
#else
    g.add_captured(ag::after(x), [](CUstream stream) { check(library_call(stream)); }, ag::uses(ag::writes(x)));
#endif
}
