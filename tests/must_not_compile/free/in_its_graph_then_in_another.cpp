// rule: F3
// expect: because_the_free_spends_the_allocation_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& owner, ag::memory_graph& other) {
    auto x = owner.add_alloc<float>(1024);
    owner.add_free(ag::after(x), std::move(x));
#ifdef MISTAKE
    other.add_free({}, x);
#else
    (void)other;
#endif
}
