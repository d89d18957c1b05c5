#include <allograph/allograph.hpp>
#include <allograph/plan.hpp>

#include <cstdio>

namespace ag = allograph;

// Needs no driver: the program is verified and measured while it compiles.
constexpr auto program = [](auto& g, int n) {
    auto x = g.template add_alloc<float>(n);
    auto set = g.add_memset(ag::after(x), x.span(), 0.0f);
    g.add_free(ag::after(set), std::move(x));
};
static_assert(ag::prove(program, 1024));
static_assert(ag::footprint(program, 1024) >= 1024 * sizeof(float));

int main() { std::printf("allograph %d.%d.%d\n", ALLOGRAPH_VERSION_MAJOR, ALLOGRAPH_VERSION_MINOR, ALLOGRAPH_VERSION_PATCH); }
