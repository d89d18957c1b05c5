// rule: O5
// expect: because_a_memset_sets_values_of_the_element_type
#include <allograph/allograph.hpp>

namespace ag = allograph;

void clear(ag::memory_graph& g) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memset(ag::after(x), x.span(), "zero");
#else
    g.add_memset(ag::after(x), x.span(), 0.0f);
#endif
}
