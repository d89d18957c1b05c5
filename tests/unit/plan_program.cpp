// plan(program): places, bounds, order, text, against an oracle that knows the drawn programs alone.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <allograph/model/memory_plan_literals.hpp>
#include <allograph/model/program_plan.hpp>
#include <allograph/model/program_plan_footprint.hpp>

#include "plan_programs.hpp"

namespace ag = allograph;
using namespace ag::literals;
using namespace plan_test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::uint64_t up(std::uint64_t bytes) { return (bytes + 511) / 512 * 512; }

/// What is wrong with a plan of a drawn program, or nothing. @param order  added edges are part of the program
std::string trouble_with(const program& p, const ag::memory_plan& plan) {
    std::uint64_t sum = 0;
    std::uint64_t end = 0;
    unsigned planned = 0;
    for (unsigned a = 0; a < p.allocations.size(); ++a) {
        if (p.leaves(a)) {
            continue;
        }
        if (planned == plan.allocations().size() || plan.allocations()[planned].number != a) {
            return "an allocation is missing";
        }
        const auto& x = plan.allocations()[planned++];
        sum += up(p.bytes(a));
        if (x.bytes != p.bytes(a) || x.offset % 512 != 0) {
            return "sizes or alignment";
        }
        end = std::max(end, x.offset + up(x.bytes));
        for (unsigned other = 0; other + 1 < planned; ++other) {
            const auto& y = plan.allocations()[other];
            const bool overlap = x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
            if (overlap && p.conflict(a, y.number)) {
                return "two that live at once overlap";
            }
            if (overlap != plan.share_bytes(planned - 1, other)) {
                return "share_bytes is wrong";
            }
        }
    }
    if (planned != plan.allocations().size()) {
        return "more is planned than is freed";
    }
    if (plan.arena_bytes() != end || plan.sum() != sum || plan.lower_bound() > end || end > sum) {
        return "bytes: not between the lower bound and the sum";
    }
    return {};
}

std::uint64_t footprint_of(const program& p) {
    std::uint64_t leaving = 0;
    for (unsigned a = 0; a < p.allocations.size(); ++a) {
        leaving += p.leaves(a) ? up(p.bytes(a)) : 0;
    }
    return ag::footprint(run_drawn{}, p, scale_add_kernel("k")) - leaving;
}

template <class F>
ag::misuse misuse_of(F&& action) {
    try {
        action();
    } catch (const ag::misuse& mistake) {
        return mistake;
    }
    FAIL("no misuse was thrown");
    throw 0;
}

constexpr auto two_stages = [](auto& g, std::size_t n) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));
    auto y = g.template add_alloc<float>(ag::after(x), n, ag::named("y"));
    auto use = g.add_memset(ag::after(y), x.span(), 1.0f);
    auto copy = g.add_memcpy(ag::after(use), y.span(), x.span());
    auto gone = g.add_free(ag::after(copy), std::move(x));
    auto z = g.template add_alloc<double>(ag::after(gone), n / 4);
    auto last = g.add_memset(ag::after(z), z.span(), ag::zero);
    g.add_free(ag::after(last), std::move(z));
    return ag::outputs(std::move(y));
};

}  // namespace

TEST_CASE("a plan keeps apart what lives at once, on 20,000 random programs", "[plan]") {
    unsigned shared = 0;
    unsigned optimal = 0;
    for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
        program_style style;
        style.ops = 10 + static_cast<unsigned>(seed % 90);
        style.live = 2 + static_cast<unsigned>(seed % 9);
        style.outputs = seed % 3 != 0;
        style.late_edges = seed % 2 == 0;
        const program p = random_program(seed, style);
        const ag::plan_options options = seed % 8 == 0 ? ag::plan_options{}.steps(200) : ag::plan_options{};
        const ag::memory_plan plan = ag::plan(options, run_drawn{}, p, scale_add_kernel("k"));
        const std::string trouble = trouble_with(p, plan);
        INFO("seed " << seed << "\n" << plan.text());
        REQUIRE(trouble == "");
        if (seed % 16 == 0) {
            REQUIRE(plan.arena_bytes() <= footprint_of(p));
            // What a constant expression computes, computed now.
            REQUIRE(ag::detail::footprint_in_constant_expression<128, 128>(run_drawn{}, p, scale_add_kernel("k")) ==
                    ag::footprint(run_drawn{}, p, scale_add_kernel("k")));
            REQUIRE(ag::memory_plan::load(plan.save()).save() == plan.save());
        }
        shared += plan.arena_bytes() < plan.sum() ? 1 : 0;
        optimal += plan.optimal() ? 1 : 0;
    }
    CHECK(shared > 10'000);
    CHECK(optimal > 10'000);
}

TEST_CASE("a plan is of what is freed inside, and says so", "[plan]") {
    const ag::memory_plan plan = ag::plan(two_stages, 1024u);
    REQUIRE(plan.allocations().size() == 2);
    CHECK(plan.program_nodes() == 8);
    CHECK(plan.program_allocations() == 3);
    CHECK(plan.allocations()[0].label == "x");
    CHECK(plan.allocations()[1].number == 2);
    CHECK(plan.describe(1) == "double[256], 2 KiB");
    CHECK(plan.share_bytes(0, 1));
    CHECK(plan.sharing_with(0) == std::vector<std::uint32_t>{1});
    CHECK(plan.arena_bytes() == 4096);
    CHECK(plan.lower_bound() == 4096);
    CHECK(plan.sum() == 6144);
    CHECK(plan.ratio() == 1.0);
    CHECK(plan.optimal());
    CHECK(plan.fits());
    CHECK(plan.alignment() == 512);
    CHECK_THAT(plan.text(), ContainsSubstring("2 allocations planned in 4 KiB (4096 bytes), 1.000 of the lower bound of 4 KiB "
                                              "(4096 bytes), the best there is; unplanned 6 KiB"));
    CHECK_THAT(plan.text(), ContainsSubstring("x: float[1024], 4 KiB"));
    CHECK_THAT(plan.text(), ContainsSubstring(ag::detail::line_text(plan.allocated_at(0))));
    CHECK(ag::footprint(two_stages, 1024u) == 8192);
}

TEST_CASE("nothing to plan is a plan of nothing", "[plan]") {
    const ag::memory_plan plan = ag::plan([](auto& g) { g.add_empty(); });
    CHECK(plan.arenas().empty());
    CHECK(plan.arena_bytes() == 0);
    CHECK(plan.ratio() == 1.0);
    CHECK(plan.optimal());
    CHECK_THAT(plan.text(), ContainsSubstring("0 allocations planned"));
    CHECK_THAT(plan.svg(), ContainsSubstring("nothing is planned"));
    CHECK(ag::memory_plan::load(plan.save()).save() == plan.save());
}

TEST_CASE("a program that breaks rules is not planned, and the report says all of it", "[plan][O3]") {
    const auto wrong = [](auto& g) {
        auto x = g.template add_alloc<float>(16, ag::named("x"));
        g.add_memset(ag::after(x), x.span(), 1.0f);
        g.add_free(ag::after(x), std::move(x));
        (void)g.template add_alloc<float>(16, ag::named("lost"));
    };
    const ag::misuse mistake = misuse_of([&] { (void)ag::plan(wrong); });
    CHECK(std::string(mistake.rule()) == "O3");
    CHECK_THAT(mistake.what(), ContainsSubstring("2 mistakes in a program that is to be planned"));
    CHECK_THAT(mistake.what(), ContainsSubstring("the free of 'x' is not ordered after a node that uses it"));
    CHECK_THAT(mistake.what(), ContainsSubstring("[F10]"));
}

TEST_CASE("alignment: 512 bytes, or what is asked for", "[plan]") {
    const auto three = [](auto& g) {
        for (int i = 0; i < 3; ++i) {
            auto x = g.template add_alloc<std::byte>(100);
            g.add_free(ag::after(x), std::move(x));
        }
    };
    const auto offsets = [&](const ag::plan_options& options) {
        std::vector<std::uint64_t> all;
        const ag::memory_plan plan = ag::plan(options, three);
        for (const auto& a : plan.allocations()) {
            all.push_back(a.offset);
        }
        std::sort(all.begin(), all.end());
        return all;
    };
    CHECK(offsets({}) == std::vector<std::uint64_t>{0, 512, 1024});
    CHECK(offsets(ag::plan_options{}.align(16)) == std::vector<std::uint64_t>{0, 112, 224});
    CHECK(offsets(ag::plan_options{}.align(4096)) == std::vector<std::uint64_t>{0, 4096, 8192});
    struct alignas(64) wide {
        char bytes[64];
    };
    const ag::memory_plan plan = ag::plan(ag::plan_options{}.align(16), [](auto& g) {
        auto x = g.template add_alloc<wide>(1);
        g.add_free(ag::after(x), std::move(x));
    });
    CHECK(plan.alignment() == 64);
    CHECK(std::string(misuse_of([] { (void)ag::plan_options{}.align(48); }).rule()) == "plan");
}

TEST_CASE("each device has an arena of its own", "[plan][P2]") {
    const auto program = [](auto& g) {
        auto a = g.template add_alloc<float>(256, ag::named("here"));
        auto b = g.template add_alloc<float>(ag::after(a), 512, ag::named("there").on(ag::device{1}));
        auto gone = g.add_free(ag::after(b), std::move(a));
        auto c = g.template add_alloc<float>(ag::after(gone), 256, ag::on(ag::device{1}));
        g.add_free(ag::after(c), std::move(b));
        g.add_free(ag::after(c), std::move(c));
    };
    const ag::memory_plan plan = ag::plan(program);
    REQUIRE(plan.arenas().size() == 2);
    CHECK(plan.arenas()[0].device == 0);
    CHECK(plan.arenas()[0].bytes == 1024);
    CHECK(plan.arenas()[1].device == 1);
    CHECK(plan.arenas()[1].bytes == 3072);
    CHECK(plan.arena_bytes() == 4096);
    CHECK(!plan.share_bytes(0, 1));
    CHECK(ag::footprint(program) == 4096);
    CHECK(ag::plan(ag::plan_options{}.on(ag::device{1}), program).arenas().size() == 1);
    CHECK_THAT(plan.text(), ContainsSubstring("on device 1: 3 KiB"));
    CHECK(ag::memory_plan::load(plan.save()).text() == plan.text());
}

TEST_CASE("the same seed and steps give the same plan, and the callback can stop the search", "[plan]") {
    program_style style;
    style.ops = 150;
    style.live = 40;
    style.outputs = false;
    style.inferred = false;
    const program p = random_program(11, style);
    const auto plan_with = [&](const ag::plan_options& options) {
        return ag::plan(options, run_drawn{}, p, scale_add_kernel("k"));
    };
    const auto steps = ag::plan_options{}.steps(3000).seed(5);
    CHECK(plan_with(steps).save() == plan_with(steps).save());
    CHECK(plan_with(steps).arena_bytes() <= plan_with({}).arena_bytes());
    unsigned calls = 0;
    std::uint64_t best = 0;
    auto watch = [&](const ag::plan_progress& state) {
        ++calls;
        best = state.best;
        CHECK(state.bound <= state.best);
        return false;
    };
    const ag::memory_plan stopped = plan_with(ag::within(std::chrono::hours(1)).progress(watch));
    CHECK(calls == 1);
    CHECK(stopped.arena_bytes() == best);
}

TEST_CASE("allocations beyond any device are refused", "[plan][A3]") {
    const ag::misuse mistake = misuse_of([] {
        (void)ag::plan([](auto& g) {
            auto x = g.template add_alloc<std::byte>(~std::size_t{0});
            g.add_free(ag::after(x), std::move(x));
        });
    });
    CHECK(std::string(mistake.rule()) == "A3");
    CHECK_THAT(mistake.what(), ContainsSubstring("plan_program.cpp:"));
}

TEST_CASE("sizes have literals", "[plan]") {
    STATIC_CHECK(1_KiB == 1024);
    STATIC_CHECK(64_MiB == 64 * 1024_KiB);
    STATIC_CHECK(2_GiB == 2048_MiB);
}
