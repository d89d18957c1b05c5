// Programs judged in constant expressions: what keeps the rules and what breaks each of them. [O1] [O2] [O3] [O4] [O6]
// [X9] [D2] [D3] [D4] [D6] [D7] [F9] [F10]

#include <utility>

#include <allograph/model/graph_builder.hpp>
#include <allograph/model/verify.hpp>

namespace ag = allograph;

static_assert(ag::memory_graph_builder<ag::static_graph<>>);
static_assert(ag::memory_graph_builder<ag::recorded_graph>);

namespace {

constexpr ag::kernel<void(float*)> writer("writer");
constexpr ag::kernel<void(const float*)> reader("reader");
constexpr ag::kernel<void(const float*, float*)> step("step");

// A program that keeps every rule, by hand and by inference.
constexpr auto by_hand = [](auto& g, std::size_t n) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));
    auto y = g.template add_alloc<float>(ag::after(x), n);
    auto z = g.add_memset(ag::after(x), x.span(), 0.0f);
    auto k = g.add_kernel(ag::after(z, y), step, ag::grid_for(n), x.data(), y.data());
    g.add_free(ag::after(k), std::move(x));
    return ag::outputs(std::move(y));
};
static_assert(ag::verify(by_hand, std::size_t{1024}));
static_assert(ag::verify(ag::no_races, by_hand, std::size_t{1024}));
static_assert(ag::prove(by_hand, std::size_t{1024}));
static_assert(ag::prove(ag::no_races, by_hand, std::size_t{1024}));

constexpr auto by_inference = [](auto& g, std::size_t n) {
    auto x = g.template add_alloc<float>(n);
    auto y = g.template add_alloc<float>(n);
    auto start = g.add_empty();
    g.add_memset(ag::inferred, x.span(), ag::zero);
    g.add_kernel(ag::after(start) + ag::inferred, step, ag::grid_for(n), x.data(), y.data());
    g.add_memcpy(ag::inferred, x.span(), y.span());
    g.add_host(ag::inferred, [] {}, ag::uses(ag::reads(x)));
    g.add_free(ag::inferred, std::move(x));
    return ag::auto_free(std::move(y));
};
static_assert(ag::verify(ag::no_races, by_inference, std::size_t{1024}));

// What `verify` says of a program that breaks a rule.
template <class Program>
constexpr bool breaks(const Program& program, const char* rule) {
    const ag::verdict v = ag::verify(program);
    return v.breaks(rule) && v.at.line != 0;
}

static_assert(breaks(
    [](auto& g) {
        auto x = g.template add_alloc<float>(8);
        g.add_kernel(writer, ag::grid_for(8), x.data());
        return ag::outputs(std::move(x));
    },
    "O1"));
static_assert(breaks(
    [](auto& g) {
        auto x = g.template add_alloc<float>(8);
        auto p = x.data();
        auto f = g.add_free(ag::after(x), std::move(x));
        g.add_kernel(ag::after(f), reader, ag::grid_for(8), p);
    },
    "O2"));
static_assert(breaks(
    [](auto& g) {
        auto x = g.template add_alloc<float>(8);
        auto p = x.data();
        auto f = g.add_free(ag::after(x), std::move(x));
        auto y = g.template add_alloc<float>(ag::after(f), 8);
        g.add_kernel(ag::after(f), reader, ag::grid_for(8), p);
        return ag::outputs(std::move(y));
    },
    "X9"));
static_assert(breaks(
    [](auto& g) {
        auto x = g.template add_alloc<float>(8);
        g.add_kernel(ag::after(x), reader, ag::grid_for(8), x.data());
        g.add_free(ag::after(x), std::move(x));
    },
    "O3"));
static_assert(breaks(
    [](auto& g) {
        auto x = g.template add_alloc<float>(8);
        g.add_free(std::move(x));
    },
    "O4"));
static_assert(breaks(
    [](auto& g) {
        auto e = g.add_empty();
        g.add_empty(ag::after(e, e));
    },
    "D2"));
static_assert(breaks(
    [](auto& g) {
        ag::static_graph<4, 4> other(false, 9);
        auto e = other.add_empty();
        g.add_empty(ag::after(e));
    },
    "D3"));
static_assert(breaks([](auto& g) { g.add_empty(ag::after(ag::node{})); }, "D4"));
static_assert(breaks(
    [](auto& g) {
        auto e = g.add_empty();
        auto f = g.add_empty(ag::after(e));
        g.add_dependency(e, f);
    },
    "D6"));
static_assert(breaks(
    [](auto& g) {
        auto e = g.add_empty();
        auto f = g.add_empty(ag::after(e));
        g.add_dependency(f, e);
    },
    "D7"));
static_assert(breaks(
    [](auto& g) {
        auto x = g.template add_alloc<float>(8);
        auto y = std::move(x);
        g.add_empty(ag::after(x));
        return ag::outputs(std::move(y));
    },
    "F9"));
static_assert(breaks(
    [](auto& g) {
        auto x = g.template add_alloc<float>(8);
        static_cast<void>(x);
    },
    "F10"));

constexpr auto racing = [](auto& g) {
    auto x = g.template add_alloc<float>(8);
    auto a = g.add_kernel(ag::after(x), writer, ag::grid_for(8), x.data());
    auto b = g.add_kernel(ag::after(x), reader, ag::grid_for(8), x.data());
    g.add_free(ag::after(a, b), std::move(x));
};
static_assert(ag::verify(racing));
static_assert(ag::verify(ag::no_races, racing).breaks("O6"));

// The first mistake is the one that is named, with the lines involved.
constexpr auto located = [](auto& g) {
    auto x = g.template add_alloc<float>(8);
    auto m = g.add_memset(ag::after(x), x.span(), 0.0f);
    static_cast<void>(m);
    g.add_free(ag::after(x), std::move(x));
    g.add_empty(ag::after(ag::node{}));
};
constexpr ag::verdict located_verdict = ag::verify(located);
static_assert(located_verdict.breaks("O3"));
#ifndef __CUDACC__  // nvcc 13.0 folds the line of an implicit conversion to that of the constructor
static_assert(located_verdict.at.line == located_verdict.allocated.line + 3);
static_assert(located_verdict.used.line == located_verdict.allocated.line + 1);
#endif

// A late edge backwards counts for what is behind it.
static_assert(ag::verify([](auto& g) {
    auto k = g.add_empty();
    auto x = g.template add_alloc<float>(8);
    g.add_dependency(x, k);
    auto m = g.add_memset(ag::after(k), x.span(), 0.0f);
    g.add_free(ag::after(m), std::move(x));
}));

}  // namespace
