// rule: X8
// expect: because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy
#include <allograph/allograph.hpp>

namespace ag = allograph;

void set(ag::memory_graph& g) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    x.data()[3] = 1.0f;
#else
    g.add_memset(ag::after(x), x.span().subspan(3, 1), 1.0f);
#endif
}
