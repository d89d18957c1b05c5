// footprint in constant expressions, at the sizes that it promises within the default limits of every compiler.

#include <allograph/model/memory_plan_literals.hpp>
#include <allograph/model/program_plan_footprint.hpp>

namespace ag = allograph;
using namespace ag::literals;

namespace {

struct kernels {
    ag::kernel<void(int, const float*, float*)> layer{"layer"};
};

// The program of the guide.
constexpr auto layer = [](auto& g, const kernels& k, std::size_t n) {
    auto x = g.template add_alloc<float>(n * n, ag::named("x"));
    auto y = g.template add_alloc<float>(ag::after(x), n * n, ag::named("y"));
    auto zero = g.add_memset(ag::after(x, y), x.span(), 0.0f);
    auto run = g.add_kernel(ag::after(zero), k.layer, ag::grid_for(n), 1, x.data(), y.data());
    auto gone = g.add_free(ag::after(run), std::move(x));
    auto t = g.template add_alloc<float>(ag::after(gone), n * n);
    auto last = g.add_kernel(ag::after(t), k.layer, ag::grid_for(n), 1, y.data(), t.data());
    g.add_free(ag::after(last), std::move(t));
    return ag::outputs(std::move(y));
};
static_assert(ag::footprint(layer, kernels{}, std::size_t{1024}) <= 64_MiB);
static_assert(ag::footprint(layer, kernels{}, std::size_t{1024}) == 8_MiB);  // y leaves; x and t share

// 250 allocations and 1,000 nodes: one after the other, and all at once.
constexpr auto many = [](auto& g, std::size_t n, bool chained) {
    ag::node last = g.add_empty();
    for (std::size_t i = 0; i < 250; ++i) {
        auto x = g.template add_alloc<float>(ag::after(last), n * (i % 7 + 1));
        auto k = g.add_kernel(ag::after(x), ag::kernel<void(float*)>("k"), ag::grid_for(n), x.data());
        auto m = g.add_memset(ag::after(k), x.span(), 0.0f);
        const ag::node freed = g.add_free(ag::after(m), std::move(x));
        last = chained ? freed : last;
    }
};
static_assert(ag::footprint(many, std::size_t{1024}, true) == 28_KiB);
static_assert(ag::footprint(many, std::size_t{1024}, false) == 4_KiB * (35 * 28 + 15));

// Rounds of three allocations, by inferred dependencies.
constexpr auto window = [](auto& g, std::size_t rounds) {
    using token = ag::alloc_node<float>;
    ag::node last = g.add_empty();
    for (std::size_t i = 0; i < rounds; ++i) {
        token a = g.template add_alloc<float>(ag::after(last), 1000);
        token b = g.template add_alloc<float>(ag::after(last), 2000);
        g.add_memset(ag::inferred, a.span(), 1.0f);
        g.add_memcpy(ag::inferred, b.span().first(1000), a.span());
        const ag::node first = g.add_free(ag::inferred, std::move(a));
        token c = g.template add_alloc<float>(ag::after(b), 1000);
        g.add_memcpy(ag::inferred, c.span(), b.span().first(1000));
        const ag::node second = g.add_free(ag::inferred, std::move(b));
        last = g.add_empty(ag::after(first, second, g.add_free(ag::inferred, std::move(c))));
    }
};
static_assert(ag::footprint(window, std::size_t{80}) == 16'384);

// Order that comes late counts as well.
constexpr auto late = [](auto& g, bool order) {
    auto x = g.template add_alloc<float>(1000);
    auto freed = g.add_free(ag::after(x), std::move(x));
    ag::node first = g.add_empty();
    auto y = g.template add_alloc<float>(ag::after(first), 1000);
    g.add_free(ag::after(y), std::move(y));
    if (order) {
        g.add_dependency(freed, first);
    }
};
static_assert(ag::footprint(late, false) == 8192);
static_assert(ag::footprint(late, true) == 4096);

// Devices have arenas of their own.
constexpr auto devices = [](auto& g) {
    auto x = g.template add_alloc<float>(128);
    auto y = g.template add_alloc<float>(ag::after(x), 128, ag::on(ag::device{1}));
    auto freed = g.add_free(ag::after(y), std::move(x));
    auto z = g.template add_alloc<float>(ag::after(freed), 128, ag::on(ag::device{1}));
    g.add_free(ag::after(z), std::move(y));
    g.add_free(ag::after(z), std::move(z));
};
static_assert(ag::footprint(devices) == 1536);

}  // namespace
