// A program of 1,000 nodes and 250 allocations is judged within the default limits of every compiler. [O1] [O3]

#include <utility>

#include <allograph/model/verify.hpp>

namespace ag = allograph;

namespace {

/// A stack of layers; layer `broken` frees its buffer beside the kernel that reads it.
constexpr auto layers = [](auto& g, int count, int broken) {
    const ag::kernel<void(const float*, float*)> step("step");
    auto x = g.template add_alloc<float>(1024, ag::named("x"));
    ag::node last = g.add_memset(ag::after(x), x.span(), 0.0f);
    for (int i = 0; i < count; ++i) {
        auto y = g.template add_alloc<float>(ag::after(last), 1024);
        const ag::node up = g.add_kernel(ag::after(last, y), step, ag::grid_for(1024), x.data(), y.data());
        const ag::node down = g.add_kernel(ag::after(up), step, ag::grid_for(1024), y.data(), x.data());
        last = g.add_free(ag::after(i == broken ? up : down), std::move(y));
    }
    const ag::node end = g.add_empty(ag::after(last));
    g.add_empty(ag::after(end));
    return ag::outputs(std::move(x));
};

static_assert(ag::verify(layers, 249, -1));
static_assert(ag::verify(layers, 249, 248).breaks("O3"));
static_assert(ag::prove(layers, 249, -1));

}  // namespace
