// rule: F7
// expect: because_only_an_explicit_address_or_get_leaves_a_device_ptr
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    cuMemFree(x);
#else
    g.add_free(ag::after(x), std::move(x));
#endif
}
