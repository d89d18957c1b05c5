// rule: F10
// expect: F10_an_allocation_has_no_fate_free_it_or_return_it_as_an_output
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    auto x = g.template add_alloc<float>(1024);
    auto y = g.template add_alloc<float>(1024);
    g.add_free(ag::after(x), std::move(x));
#ifdef MISTAKE
    static_cast<void>(y);
#else
    return ag::outputs(std::move(y));
#endif
};
static_assert(ag::prove(program));
