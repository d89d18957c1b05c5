// rule: O1
// expect: because_what_a_host_node_touches_is_said_in_uses
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

void call(ag::memory_graph& g, ag::kernel_node k) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_host(ag::after(k), [] {}, ag::reads(x));
#else
    g.add_host(ag::after(k), [] {}, ag::uses(ag::reads(x)));
#endif
}
