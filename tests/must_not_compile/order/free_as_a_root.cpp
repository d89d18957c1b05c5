// rule: O4
// expect: O4_the_free_is_not_ordered_after_its_allocation
// expect(g++): free_as_a_root.cpp:15:
// expect(clang++): free_as_a_root.cpp:15:
// expect(nvcc): free_as_a_root.cpp(15)
#include <allograph/model/verify.hpp>

#include <utility>

namespace ag = allograph;

constexpr auto program = [](auto& g) {
    auto x = g.template add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_free(std::move(x));
#else
    g.add_free(ag::after(x), std::move(x));
#endif
};
static_assert(ag::prove(program));
