// rule: C14
// expect: because_the_host_memory_must_outlive_every_launch_name_it_first
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

void copy(ag::memory_graph& g, const std::vector<float>& host) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memcpy(ag::after(x), x.span(), std::vector<float>(1024));
#else
    g.add_memcpy(ag::after(x), x.span(), host);
#endif
}
