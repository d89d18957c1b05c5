// Programs, read by verify and report at run time.

#include <cstring>
#include <utility>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <allograph/model/graph_builder.hpp>
#include <allograph/model/verify.hpp>

namespace ag = allograph;

namespace {

/// A stack of layers; `broken_layer` frees its buffer too early.
const auto stack = [](ag::memory_graph_builder auto& g, int layers, int broken_layer) {
    const ag::kernel<void(const float*, float*)> step("step");
    auto x = g.template add_alloc<float>(1024, ag::named("x"));
    ag::node last = g.add_memset(ag::after(x), x.span(), 0.0f);
    for (int i = 0; i < layers; ++i) {
        auto y = g.template add_alloc<float>(ag::after(last), 1024);
        const ag::node a = g.add_kernel(ag::after(y), step, ag::grid_for(1024), x.data(), y.data());
        last = g.add_kernel(ag::after(a), step, ag::grid_for(1024), y.data(), x.data());
        g.add_free(ag::after(i == broken_layer ? a : last), std::move(y));
    }
    return ag::outputs(std::move(x));
};

}  // namespace

TEST_CASE("model: verify at run time has no limit of size", "[O3]") {
    CHECK(ag::verify(stack, 100, -1));
    CHECK(ag::verify(stack, 25'000, -1));
    const ag::verdict bad = ag::verify(stack, 25'000, 24'990);
    CHECK(!bad);
    CHECK(bad.breaks("O3"));
    CHECK(!bad.breaks("O"));
    CHECK(bad.at.line != 0);
    CHECK(std::strstr(bad.at.file, "model_verify") != nullptr);
}

TEST_CASE("model: what a program returns has its fate", "[F10]") {
    CHECK(ag::verify([](auto& g) {
        std::vector<ag::alloc_node<int>> many;
        for (int i = 0; i < 3; ++i) {
            many.push_back(g.template add_alloc<int>(8));
        }
        return ag::outputs(std::move(many));
    }));
    CHECK(ag::verify([](auto& g) { return ag::auto_free(g.template add_alloc<int>(8), g.template add_alloc<char>(1)); }));
    CHECK(ag::verify([](auto& g) {
        return std::tuple(ag::auto_free(g.template add_alloc<int>(8)), ag::outputs(g.template add_alloc<int>(8)));
    }));
    CHECK(ag::verify([](auto& g) {
              auto x = g.template add_alloc<int>(8);
              static_cast<void>(x);
          }).breaks("F10"));
    CHECK(ag::verify([](auto&) {}));
}

TEST_CASE("model: a program that the vocabulary itself stops", "[O5]") {
    const auto program = [](auto& g) {
        auto x = g.template add_alloc<int>(8);
        g.add_memset(ag::after(x), x.span().first(9), 0);
        return ag::outputs(std::move(x));
    };
    CHECK(ag::verify(program).breaks("O5"));
    const ag::verification_report all = ag::report(program);
    CHECK(all.findings.size() == 1);
    CHECK(all.nodes == 1);
}

TEST_CASE("model: races are reported when asked", "[O6]") {
    const auto program = [](auto& g) {
        auto x = g.template add_alloc<int>(8);
        auto a = g.add_memset(ag::after(x), x.span(), 1);
        auto b = g.add_memset(ag::after(x), x.span(), 2);
        g.add_free(ag::after(a, b), std::move(x));
    };
    CHECK(ag::verify(program));
    CHECK(ag::verify(ag::no_races, program).breaks("O6"));
    CHECK(ag::report(program));
    CHECK(ag::report(ag::no_races, program).findings.size() == 1);
}

TEST_CASE("model: a sub-span is a use of its allocation", "[O3]") {
    CHECK(ag::verify([](auto& g) {
              auto x = g.template add_alloc<int>(8);
              g.add_memset(ag::after(x), x.span().subspan(2, 3), 1);
              g.add_free(ag::after(x), std::move(x));
          }).breaks("O3"));
}

TEST_CASE("model: a kernel says by the constness of its parameters what it writes", "[O6]") {
    const auto program = [](auto& g) {
        auto x = g.template add_alloc<float>(8);
        auto m = g.add_memset(ag::after(x), x.span(), 1.0f);
        auto a = g.add_kernel(ag::after(m), ag::kernel<void(const float*)>("a"), ag::grid_for(8), x.data());
        auto b = g.add_kernel(ag::after(m), ag::kernel<void(const float*)>("b"), ag::grid_for(8), x.data());
        g.add_free(ag::after(a, b), std::move(x));
    };
    CHECK(ag::verify(ag::no_races, program));
}
