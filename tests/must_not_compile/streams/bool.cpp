// rule: X8
// expect: because_a_number_is_no_stream
#include <allograph/allograph.hpp>

namespace ag = allograph;

void run(ag::graph& g, CUstream s) {
    auto exec = g.instantiate();
#ifdef MISTAKE
    (void)s;
    exec.launch(false);
#else
    exec.launch(s);
#endif
}
