// rule: F4
// expect: because_the_free_spends_the_allocation_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& owner, ag::memory_graph& other) {
    auto x = owner.add_alloc<float>(1024);
    const auto use = owner.add_memset(ag::after(x), x.span(), 0.0f);
    other.add_free({}, std::move(x));
#ifdef MISTAKE
    owner.add_free(ag::after(use), x);
#else
    (void)use;
#endif
}
