// rule: O5
// expect: because_the_arguments_do_not_match_the_kernel_signature_in_count_or_type
#include <allograph/allograph.hpp>

namespace ag = allograph;

void run(ag::memory_graph& g, ag::kernel<void(int, float*)> fill, ag::device_ptr<float> x) {
#ifdef MISTAKE
    g.add_kernel(fill, ag::grid_for(1024), 1024);
#else
    g.add_kernel(fill, ag::grid_for(1024), 1024, x);
#endif
    (void)x;
}
