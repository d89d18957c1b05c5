// rule: X8
// expect: because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy
#include <allograph/allograph.hpp>

#include <span>

namespace ag = allograph;

void read(ag::memory_graph& g, std::span<float> host) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    host[0] = x.span()[0];
#else
    g.add_memcpy(ag::after(x), host, x.span());
#endif
}
