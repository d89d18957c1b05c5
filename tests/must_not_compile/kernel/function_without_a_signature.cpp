// rule: O5
// expect: because_a_kernel_has_a_signature_write_kernel_of_it
#include <allograph/allograph.hpp>

namespace ag = allograph;

void run(ag::memory_graph& g, CUfunction function, ag::device_ptr<float> x) {
#ifdef MISTAKE
    g.add_kernel({}, function, ag::grid_for(1024), 1024, x);
#else
    g.add_kernel({}, ag::kernel<void(int, float*)>(function), ag::grid_for(1024), 1024, x);
#endif
}
