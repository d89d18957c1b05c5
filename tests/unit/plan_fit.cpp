// fit(bytes): as few edges as are found, no cycle, and nothing that was not needed; or by how much it fails.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <allograph/model/memory_plan_literals.hpp>
#include <allograph/model/program_plan.hpp>

#include "plan_programs.hpp"

namespace ag = allograph;
using namespace ag::literals;
using namespace plan_test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// `width` branches, each of `length` allocations of 1 KiB, one after the other.
constexpr auto branches = [](auto& g, int width, int length) {
    for (int w = 0; w < width; ++w) {
        ag::node last = g.add_empty();
        for (int i = 0; i < length; ++i) {
            auto x = g.template add_alloc<float>(ag::after(last), 256, ag::named("x"));
            auto m = g.add_memset(ag::after(x), x.span(), 1.0f);
            last = g.add_free(ag::after(m), std::move(x));
        }
    }
};

/// The closure of a drawn program with a plan's edges added; false where they close a cycle.
bool add_edges(program& p, const ag::memory_plan& plan) {
    for (const auto& e : plan.added_edges()) {
        const unsigned from = p.allocations[plan.allocations()[e.freed].number].freed_by;
        const unsigned to = p.allocations[plan.allocations()[e.allocated].number].made_by;
        if (from == to || p.before[from][to]) {
            return false;
        }
        for (unsigned n = 0; n < p.ops.size(); ++n) {
            if (n == to || p.before[n][to]) {
                p.before[n] |= p.before[from];
                p.before[n].set(from);
            }
        }
    }
    return true;
}

}  // namespace

TEST_CASE("a plan that fits is left alone", "[plan][fit]") {
    const ag::memory_plan plan = ag::plan(ag::fit(1_MiB), branches, 3, 3);
    CHECK(plan.fits());
    CHECK(plan.added_edges().empty());
    CHECK(plan.arena_bytes() == 3_KiB);
}

TEST_CASE("one edge puts one branch behind another", "[plan][fit]") {
    for (const int length : {1, 2, 7}) {
        const ag::memory_plan two = ag::plan(ag::fit(1_KiB), branches, 2, length);
        CHECK(two.fits());
        CHECK(two.arena_bytes() == 1_KiB);
        CHECK(two.lower_bound() == 1_KiB);
        CHECK(two.added_edges().size() == 1);
    }
    const ag::memory_plan four = ag::plan(ag::fit(1_KiB), branches, 4, 3);
    CHECK(four.fits());
    CHECK(four.added_edges().size() == 3);
    const ag::memory_plan half = ag::plan(ag::fit(2_KiB), branches, 4, 3);
    CHECK(half.fits());
    CHECK(half.arena_bytes() <= 2_KiB);
    CHECK(half.added_edges().size() == 2);
    CHECK_THAT(half.text(), ContainsSubstring("order added: the free of x: float[256], 1 KiB (plan_fit.cpp:"));
    CHECK(ag::memory_plan::load(half.save()).text() == half.text());
}

TEST_CASE("what no order can bring under the limit is reported", "[plan][fit]") {
    const ag::memory_plan plan = ag::plan(ag::fit(1000), branches, 3, 2);
    CHECK(!plan.fits());
    CHECK(plan.arena_bytes() == 1_KiB);
    CHECK(plan.short_by() == 24);
    CHECK_THAT(plan.text(), ContainsSubstring("does not fit: 24 bytes too much"));
    CHECK(ag::memory_plan::load(plan.save()).short_by() == 24);
}

TEST_CASE("random programs made to fit: no cycle, no overlap, and every edge is needed", "[plan][fit]") {
    unsigned fitted = 0;
    unsigned failed = 0;
    std::size_t edges = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        program_style style;
        style.ops = 20 + static_cast<unsigned>(seed % 60);
        style.live = 3 + static_cast<unsigned>(seed % 6);
        style.extra_order = 0;
        program p = random_program(seed, style);
        const ag::memory_plan before = ag::plan(run_drawn{}, p, scale_add_kernel("k"));
        const std::uint64_t limit = before.arena_bytes() * (60 + seed % 40) / 100;
        const ag::memory_plan plan = ag::plan(ag::fit(limit), run_drawn{}, p, scale_add_kernel("k"));
        INFO("seed " << seed << "\n" << plan.text());
        REQUIRE(plan.fits() == (plan.arena_bytes() <= limit));
        REQUIRE(plan.short_by() == (plan.fits() ? 0 : plan.arena_bytes() - limit));
        REQUIRE(plan.arena_bytes() <= before.arena_bytes());
        REQUIRE(add_edges(p, plan));
        for (std::size_t a = 0; a < plan.allocations().size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                REQUIRE(!(plan.share_bytes(a, b) && p.conflict(plan.allocations()[a].number, plan.allocations()[b].number)));
            }
            for (std::size_t b = 0; b < plan.allocations().size(); ++b) {
                const unsigned x = plan.allocations()[a].number;
                const unsigned y = plan.allocations()[b].number;
                if (p.ordered(p.allocations[x].made_by, p.allocations[y].freed_by)) {
                    REQUIRE(plan.allocations()[a].from < plan.allocations()[b].to);
                }
            }
        }
        // Without any one of its edges, the others given, the plan does not fit.
        for (std::size_t gone = 0; plan.fits() && gone < plan.added_edges().size(); ++gone) {
            program others = random_program(seed, style);
            for (std::size_t e = 0; e < plan.added_edges().size(); ++e) {
                const auto& kept = plan.added_edges()[e];
                if (e != gone) {
                    others.ops.push_back({op_kind::edge,
                                          0,
                                          0,
                                          {},
                                          false,
                                          others.allocations[plan.allocations()[kept.freed].number].freed_by,
                                          others.allocations[plan.allocations()[kept.allocated].number].made_by});
                }
            }
            REQUIRE(ag::plan(run_drawn{}, others, scale_add_kernel("k")).arena_bytes() > limit);
        }
        fitted += plan.fits() && limit < before.arena_bytes() ? 1 : 0;
        failed += plan.fits() ? 0 : 1;
        edges += plan.fits() ? plan.added_edges().size() : 0;
    }
    CHECK(fitted > 100);
    CHECK(failed > 0);
    CHECK(edges < 3 * std::size_t{fitted});
}
