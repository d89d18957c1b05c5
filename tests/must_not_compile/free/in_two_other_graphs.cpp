// rule: F5
// expect: because_an_allocation_has_one_owner_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::memory_graph& owner, ag::memory_graph& second, ag::memory_graph& third) {
    auto x = owner.add_alloc<float>(1024);
#ifdef MISTAKE
    auto twin = x;
    third.add_free({}, std::move(twin));
#else
    (void)third;
#endif
    second.add_free({}, std::move(x));
}
