// The judgement of an audit, on programs made by hand: no driver is asked.

#include <allograph/model/audit_judge.hpp>

#include <string>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace ag = allograph;
using Catch::Matchers::ContainsSubstring;
using report = ag::audit_report;
using kind = ag::node_kind;

namespace {

/// One graph, and graphs inside of its nodes.
struct program {
    ag::audit_program it;
    program() { it.graphs.push_back({0, 0, ag::audit_program::none}); }

    std::uint32_t add(kind what, std::vector<std::uint32_t> after = {}, std::uint64_t address = 0, std::uint64_t bytes = 0,
                      int device = 0) {
        const auto made = static_cast<std::uint32_t>(it.nodes.size());
        it.nodes.push_back({what, what == kind::kernel ? "k" : "", address, bytes, device, nullptr});
        ++it.graphs.back().node_count;
        for (const std::uint32_t before : after) {
            it.edges.push_back({before, made});
        }
        return made;
    }
    std::uint32_t alloc(std::uint64_t address, std::uint64_t bytes, std::vector<std::uint32_t> after = {}) {
        return add(kind::alloc, static_cast<std::vector<std::uint32_t>&&>(after), address, bytes);
    }
    std::uint32_t free(std::uint64_t address, std::vector<std::uint32_t> after) {
        return add(kind::free, static_cast<std::vector<std::uint32_t>&&>(after), address);
    }
    std::uint32_t use(kind what, std::uint64_t address, std::uint64_t bytes, report::access how,
                      std::vector<std::uint32_t> after) {
        const std::uint32_t made = add(what, static_cast<std::vector<std::uint32_t>&&>(after));
        it.touches.push_back({made, how, how != report::access::unknown, false, address, bytes});
        return made;
    }
    std::uint32_t kernel(std::uint64_t address, std::vector<std::uint32_t> after) {
        return use(kind::kernel, address, 1, report::access::unknown, static_cast<std::vector<std::uint32_t>&&>(after));
    }
    /// From here on nodes are of a graph inside of a node.
    void inside(std::uint32_t holder) { it.graphs.push_back({static_cast<std::uint32_t>(it.nodes.size()), 0, holder}); }

    [[nodiscard]] report judge() const { return ag::judge(it); }
};

std::string rules(const report& r) {
    std::string all;
    for (const report::finding& f : r.findings) {
        all += all.empty() ? "" : " ";
        all += f.rule;
    }
    return all;
}

}  // namespace

TEST_CASE("an empty graph has nothing to judge", "[audit]") {
    CHECK(ag::judge(ag::audit_program()).clean());
    const report r = program().judge();
    CHECK(r.clean());
    CHECK(r.memory.driver == 0);
    CHECK(r.memory.planned == 0);
}

TEST_CASE("a memset past the end of its allocation", "[audit][O5]") {
    program p;
    const auto a = p.alloc(4096, 1000);
    const auto set = p.use(kind::memset, 4096 + 900, 101, report::access::write, {a});
    p.free(4096, {set});
    const report r = p.judge();
    REQUIRE(rules(r) == "O5");
    CHECK_THAT(r.findings[0].message, ContainsSubstring("up to byte 1001 of 1000"));
    p.it.touches[0].bytes = 100;
    CHECK(p.judge().clean());
}

TEST_CASE("a second free", "[audit][F1]") {
    program p;
    const auto a = p.alloc(4096, 64);
    const auto first = p.free(4096, {a});
    const auto second = p.free(4096, {first});
    const report r = p.judge();
    REQUIRE(rules(r) == "F1");
    CHECK(r.findings[0].nodes == std::vector<std::uint32_t>{a, first, second});
}

TEST_CASE("an address means the latest allocation that a node is ordered after", "[audit][A12][X9]") {
    program p;
    const auto a = p.alloc(4096, 64);
    const auto first = p.free(4096, {a});
    const auto b = p.alloc(4096, 64, {first});
    SECTION("behind the second") {
        const auto k = p.kernel(4096, {b});
        p.free(4096, {k});
        const report r = p.judge();
        CHECK(r.clean());
        CHECK(r.allocations[0].uses.empty());
        CHECK(r.allocations[1].uses.size() == 1);
    }
    SECTION("between the two") {
        p.kernel(4096, {first});
        p.free(4096, {b});
        const report r = p.judge();
        REQUIRE(rules(r) == "O2");
        CHECK(r.findings[0].allocation == 0);
        CHECK(r.findings[0].overlaps == 1);
    }
}

TEST_CASE("an allocation in the body of a conditional, and in a child in one", "[audit][C8][C16]") {
    program p;
    const auto when = p.add(kind::conditional);
    p.inside(when);
    const auto a = p.alloc(4096, 64);
    const auto child = p.add(kind::child, {a});
    p.free(4096, {child});
    p.inside(child);
    const auto b = p.alloc(8192, 64);
    p.free(8192, {b});
    const report r = p.judge();
    REQUIRE(rules(r) == "C8 C16");
    CHECK(r.findings[0].nodes == std::vector<std::uint32_t>{when, a});
    CHECK(r.findings[1].nodes == std::vector<std::uint32_t>{child, b});
    CHECK(r.nodes[b].parent == child);
    CHECK(r.nodes[child].parent == when);
}

TEST_CASE("the bodies of a conditional exclude each other", "[audit][O6][C9]") {
    program p;
    const auto a = p.alloc(4096, 64);
    const auto when = p.add(kind::conditional, {a});
    p.free(4096, {when});
    p.inside(when);
    p.use(kind::memset, 4096, 64, report::access::write, {});
    p.inside(when);
    const auto set = p.use(kind::memset, 4096, 64, report::access::write, {});
    CHECK(p.judge().clean());
    // In one body they do not.
    const auto other = p.use(kind::memset, 4096, 64, report::access::write, {});
    const report r = p.judge();
    REQUIRE(rules(r) == "O6");
    CHECK(r.findings[0].nodes == std::vector<std::uint32_t>{set, other});
}

TEST_CASE("what is inside of a node lies between what it follows and what follows it", "[audit][C9]") {
    program p;
    const auto first = p.add(kind::empty);
    const auto child = p.add(kind::child, {first});
    const auto last = p.add(kind::empty, {child});
    p.inside(child);
    const auto x = p.add(kind::empty);
    const auto y = p.add(kind::empty, {x});
    ag::detail::audit_order order(p.it);
    CHECK(order.before(first, x));
    CHECK(order.before(x, y));
    CHECK(order.before(y, last));
    CHECK_FALSE(order.before(last, x));
    CHECK_FALSE(order.before(child, x));  // it has not ended
    CHECK_FALSE(order.before(y, child));
    CHECK(order.level(first) == 0);
    CHECK(order.level(child) == 1);
    CHECK(order.level(x) == 2);
    CHECK(order.level(y) == 3);
    CHECK(order.level(last) == 4);
    CHECK(order.path(first, last) == std::vector<std::uint32_t>{first, child, x, y, child, last});
    CHECK(order.path(last, first).empty());
}

TEST_CASE("nodes that are listed against their edges", "[audit][D7]") {
    program p;
    const auto k = p.kernel(4096, {});
    const auto a = p.alloc(4096, 64);
    const auto f = p.free(4096, {});
    p.it.edges = {{a, k}, {k, f}};
    CHECK(p.judge().clean());
    p.it.edges.push_back({f, a});
    const report r = p.judge();
    REQUIRE(rules(r) == "D7");
    CHECK(r.findings[0].path.size() == 3);
    CHECK(r.nodes.size() == 3);
}

TEST_CASE("more races than a report lists", "[audit][O6]") {
    program p;
    const auto a = p.alloc(4096, 64);
    std::vector<std::uint32_t> users;
    for (int i = 0; i < 100; ++i) {
        users.push_back(p.use(kind::memset, 4096, 64, report::access::write, {a}));
    }
    p.free(4096, users);
    const report r = p.judge();
    CHECK(r.findings.size() == 8);
    REQUIRE(r.limits.size() == 1);
    CHECK_THAT(r.limits[0], ContainsSubstring("races on allocation 0"));
}

TEST_CASE("what planning would save, and what it cannot share", "[audit][M3][P2]") {
    constexpr std::uint64_t mib = std::uint64_t{1} << 20;
    program p;
    // 64 MiB, then two of 32 in its place, then 64 elsewhere: the driver does not merge what is freed.
    const auto a = p.alloc(0, 64 * mib);
    const auto fa = p.free(0, {a});
    const auto b = p.alloc(0, 32 * mib, {fa});
    const auto c = p.alloc(32 * mib, 32 * mib, {b});
    const auto fb = p.free(0, {c});
    const auto fc = p.free(32 * mib, {fb});
    const auto d = p.alloc(64 * mib, 64 * mib, {fc});
    report r = p.judge();  // the last one leaves
    CHECK(rules(r) == "F10");
    CHECK(r.memory.driver == 128 * mib);
    CHECK(r.memory.planned == 128 * mib);
    CHECK(r.allocations[3].planned_offset == report::no_offset);
    p.free(64 * mib, {d});
    r = p.judge();
    CHECK(r.clean());
    CHECK(r.memory.driver == 128 * mib);
    CHECK(r.memory.planned == 64 * mib);
    CHECK(r.memory.lower_bound == 64 * mib);
    CHECK(r.allocations[2].planned_offset != r.allocations[1].planned_offset);

    // Each device has chunks and an arena of its own.
    const auto other = p.add(kind::alloc, {}, 0, 1, 1);
    p.free(0, {other});
    r = p.judge();
    CHECK(r.memory.driver == 160 * mib);
    CHECK(r.memory.planned == 64 * mib + 512);
}

TEST_CASE("lifetimes in a graph share bytes only where it orders them", "[audit]") {
    program p;
    constexpr std::uint64_t size = 1024;
    // Side by side, nothing is shared.
    for (std::uint64_t i = 0; i < 4; ++i) {
        const auto a = p.alloc(4096 + i * size, size);
        p.free(4096 + i * size, {a});
    }
    report r = p.judge();
    CHECK(r.memory.planned == 4 * size);
    CHECK(r.memory.lower_bound == 4 * size);
    // Two more behind two of them: they take their places, wherever the driver put them.
    const auto x = p.alloc(100 * 4096, size, {1});
    p.free(100 * 4096, {x});
    const auto y = p.alloc(101 * 4096, size, {3, 1});
    p.free(101 * 4096, {y});
    r = p.judge();
    CHECK(r.memory.planned == 4 * size);
    CHECK(r.allocations[4].planned_offset == r.allocations[0].planned_offset);
    CHECK(r.allocations[5].planned_offset == r.allocations[1].planned_offset);
}
