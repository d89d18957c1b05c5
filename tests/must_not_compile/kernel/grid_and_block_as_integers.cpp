// rule: O5
// expect: because_a_launch_config_comes_before_the_arguments_write_grid_for
#include <allograph/allograph.hpp>

namespace ag = allograph;

void run(ag::memory_graph& g, ag::kernel<void(int, float*)> fill) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_kernel(ag::after(x), fill, 4, 256, 1024, x.data());
#else
    g.add_kernel(ag::after(x), fill, ag::grid_for(1024, 256), 1024, x.data());
#endif
}
