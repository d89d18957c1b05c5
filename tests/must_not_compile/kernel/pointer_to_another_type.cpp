// rule: O5
// expect: because_the_arguments_do_not_match_the_kernel_signature_in_count_or_type
#include <allograph/allograph.hpp>

namespace ag = allograph;

void run(ag::memory_graph& g, ag::kernel<void(int, float, const float*, float*)> saxpy, const ag::alloc_node<double>& z) {
    const auto x = g.add_alloc<float>(1024);
    const auto y = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_kernel(ag::after(x, y), saxpy, ag::grid_for(1024), 1024, 2.0f, z.data(), y.data());
#else
    g.add_kernel(ag::after(x, y), saxpy, ag::grid_for(1024), 1024, 2.0f, x.data(), y.data());
#endif
}
