// rule: F9
// expect: F9_a_dependency_is_a_spent_allocation
// expect(g++): dependency_on_a_spent_allocation.cpp:17:
// expect(clang++): dependency_on_a_spent_allocation.cpp:17:
// expect(nvcc): dependency_on_a_spent_allocation.cpp(17)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    auto x = g.template add_alloc<float>(1024);
    const ag::node made = x;
    auto y = std::move(x);
#ifdef MISTAKE
    g.add_free(ag::after(x), std::move(y));
#else
    g.add_free(ag::after(made), std::move(y));
#endif
    static_cast<void>(made);
};
static_assert(ag::prove(program));
