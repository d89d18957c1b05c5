// The run-time recorder: inferred edges, late edges, handles, fates, scale.

#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <allograph/model/recorded_graph.hpp>

namespace ag = allograph;

namespace {

constexpr std::uint32_t id = 7;

CUgraphNode_st* handle_of(std::uint32_t n) { return reinterpret_cast<CUgraphNode_st*>(static_cast<std::uintptr_t>(n + 1) * 64); }
std::uint32_t index_of(CUgraphNode_st* handle) {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle) / 64 - 1);
}
ag::node node_of(std::uint32_t n, std::uint32_t graph = id) {
    return ag::detail::handle_access::make_node(handle_of(n), graph, n);
}

const ag::alloc_request some_floats{1024, 256, 4, "float", {}};

ag::memory_use use_of(std::uint32_t allocation, bool writes) {
    return {{id, allocation}, writes ? ag::access::write : ag::access::read};
}

template <class F>
std::string rule_of(F&& f) {
    try {
        f();
    } catch (const ag::misuse& m) {
        return m.rule();
    }
    return "";
}

/// Adds an empty node. @return its index
std::uint32_t add(ag::recorder& model, const ag::dependencies& deps) {
    model.check(deps, ag::node_kind::empty, nullptr, {});
    return model.commit(handle_of(model.node_count()));
}

}  // namespace

TEST_CASE("recorder: inferred edges are the transitive reduction of the true dependences", "[O1][O3]") {
    for (unsigned program = 0; program < 10'000; ++program) {
        std::mt19937 random(program);
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        ag::recorder model(id);
        struct step {
            std::vector<std::pair<std::uint32_t, bool>> uses;  // an allocation or a free writes
            std::set<std::uint32_t> edges;
        };
        std::vector<step> steps;
        std::vector<bool> freed;
        const std::uint32_t length = 2 + below(59);
        for (std::uint32_t i = 0; i < length; ++i) {
            step now;
            std::span<CUgraphNode_st* const> handles;
            const std::uint32_t a = freed.empty() ? 0 : below(static_cast<std::uint32_t>(freed.size()));
            std::vector<ag::memory_use> uses;
            if (freed.empty() || below(8) == 0) {
                now.uses.emplace_back(static_cast<std::uint32_t>(freed.size()), true);
                freed.push_back(false);
                handles = model.check_alloc(ag::inferred, some_floats);
            } else if (!freed[a] && below(12) == 0) {
                now.uses.emplace_back(a, true);
                freed[a] = true;
                handles = model.check_free(ag::inferred, {{}, {id, a}, 0});
            } else {
                for (std::uint32_t count = below(4); count > 0; --count) {
                    const std::uint32_t m = below(static_cast<std::uint32_t>(freed.size()));
                    if (!freed[m]) {
                        now.uses.emplace_back(m, below(3) == 0);
                        uses.push_back(use_of(m, now.uses.back().second));
                    }
                }
                handles = model.check(ag::inferred, ag::node_kind::kernel, "k", uses);
            }
            for (CUgraphNode_st* h : handles) {
                REQUIRE(now.edges.insert(index_of(h)).second);
            }
            model.commit(handle_of(i));
            steps.push_back(now);
        }
        // The true dependences, closed over all paths; then the edges that no path of two or more implies.
        std::vector<std::uint64_t> before(length, 0);
        for (std::uint32_t n = 0; n < length; ++n) {
            for (std::uint32_t e = 0; e < n; ++e) {
                bool conflict = false;
                for (const auto& [x, x_writes] : steps[n].uses) {
                    for (const auto& [y, y_writes] : steps[e].uses) {
                        conflict = conflict || (x == y && (x_writes || y_writes));
                    }
                }
                if (conflict) {
                    before[n] |= before[e] | std::uint64_t{1} << e;
                }
            }
            std::set<std::uint32_t> fewest;
            for (std::uint32_t e = 0; e < n; ++e) {
                bool wanted = (before[n] >> e & 1) != 0;
                for (std::uint32_t via = e + 1; via < n; ++via) {
                    wanted = wanted && !((before[n] >> via & 1) != 0 && (before[via] >> e & 1) != 0);
                }
                if (wanted) {
                    fewest.insert(e);
                }
            }
            INFO("program " << program << ", node " << n);
            REQUIRE(steps[n].edges == fewest);
        }
    }
}

TEST_CASE("recorder: a failed check changes nothing", "[D2][O1]") {
    ag::recorder model(id);
    model.check_alloc(ag::dependencies({}), some_floats);
    model.commit(handle_of(0), 4096);
    const ag::memory_use use = use_of(0, true);
    CHECK(rule_of([&] { model.check({}, ag::node_kind::kernel, "k", {&use, 1}); }) == "O1");
    CHECK(rule_of([&] { model.check({node_of(0), node_of(0)}, ag::node_kind::kernel, "k", {&use, 1}); }) == "D2");
    CHECK(rule_of([&] { model.check_free({}, {node_of(0), {id, 0}, 4096}); }) == "O4");
    CHECK(model.node_count() == 1);
    CHECK(model.allocation_count() == 1);
    CHECK(model.fate_of(0) == ag::allocation_fate::none);
    const auto handles = model.check_free({node_of(0)}, {node_of(0), {id, 0}, 4096});
    REQUIRE(handles.size() == 1);
    CHECK(handles[0] == handle_of(0));
    CHECK(model.commit(handle_of(1)) == 1);
    CHECK(model.fate_of(0) == ag::allocation_fate::freed);
    model.require_fates({}, {});
}

TEST_CASE("recorder: what is known of an allocation") {
    ag::recorder model(id);
    model.check_alloc(ag::dependencies({}, "solver.cpp", 41), {1024, 256, 4, "float", ag::named("x").on(ag::device{2})});
    model.commit(handle_of(0), 0x7000);
    model.check_alloc(ag::dependencies({}, "other.cpp", 42), {1024, 256, 4, "float", {}}, 1);
    model.commit(handle_of(1), 0x9000);
    CHECK(model.bytes_of(0) == 1024);
    CHECK(model.address_of(0) == 0x7000);
    CHECK(model.device_of(0) == 2);
    CHECK(model.device_of(1) == 1);
    CHECK(model.allocated_at(0).line == 41);
    CHECK(std::string(model.allocated_at(1).file) == "other.cpp");
    CHECK(model.describe(0) == "x: float[256], 1 KiB");
    CHECK(model.describe(1) == "float[256], 1 KiB");
    CHECK(model.kind_of(0) == ag::node_kind::alloc);
    CHECK(model.handle_of(1) == handle_of(1));
}

TEST_CASE("recorder: memory that is already somebody else's is named by its address", "[X9]") {
    ag::recorder model(id);
    model.check_alloc(ag::dependencies({}), {1024, 256, 4, "float", ag::named("x")});
    model.commit(handle_of(0), 4096);
    model.check_free({node_of(0)}, {node_of(0), {id, 0}, 4096});
    model.commit(handle_of(1));
    model.check_alloc({node_of(1)}, {512, 128, 4, "float", ag::named("y")});
    model.commit(handle_of(2), 8192);
    model.check_alloc({node_of(1)}, {512, 128, 4, "float", ag::named("z")});
    model.commit(handle_of(3), 4096 + 512);
    const ag::memory_use use = use_of(0, true);
    std::string text;
    try {
        model.check({node_of(3)}, ag::node_kind::memset, nullptr, {&use, 1});
    } catch (const ag::misuse& m) {
        text = m.what();
    }
    CHECK(text.find("[X9] the freed bytes belong to 'z' by now, which the memset would touch") != std::string::npos);
}

TEST_CASE("recorder: memory of other graphs is not judged") {
    ag::recorder model(id);
    const ag::memory_use uses[] = {{{id + 1, 0}, ag::access::write}, {{}, ag::access::write}};
    CHECK(model.check({}, ag::node_kind::kernel, "k", uses).empty());
    model.commit(handle_of(0));
    CHECK(model.check_free({node_of(0)}, {node_of(0, id + 1), {id + 1, 0}, 0}).size() == 1);
    model.commit(handle_of(1));
    model.require_fates({}, {});
}

TEST_CASE("recorder: raw handles are found again", "[D3][D2]") {
    ag::recorder model(id);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        if (i == 0) {
            add(model, ag::dependencies({}));
        } else {
            const std::array<CUgraphNode_st*, 1> raw{handle_of(i / 2)};
            add(model, raw);
        }
    }
    CHECK(rule_of([&] { add(model, {ag::node(handle_of(5)), node_of(5)}); }) == "D2");
    CHECK(rule_of([&] { add(model, {ag::node(handle_of(5000))}); }) == "D3");
    CHECK(model.precedes(0, 999));
    CHECK(!model.precedes(3, 2));
}

TEST_CASE("recorder: a spent token is no dependency", "[F9]") {
    ag::recorded_graph g;
    auto x = g.add_alloc<float>(8);
    const ag::node kept = x;
    auto y = std::move(x);
    CHECK(rule_of([&] { g.add_empty(ag::after(x)); }) == "F9");
    CHECK(rule_of([&] { static_cast<void>(x.data()); }) == "F9");
    g.add_free(ag::after(kept), std::move(y));
    CHECK(rule_of([&] { g.add_empty(ag::after(y)); }) == "F9");
}

TEST_CASE("recorder: late edges count, backward ones too", "[D6][D7]") {
    ag::recorder model(id);
    for (int i = 0; i < 4; ++i) {
        add(model, ag::dependencies({}));
    }
    const auto link = [&](std::uint32_t from, std::uint32_t to) {
        return rule_of([&] {
            model.check_dependency(node_of(from), node_of(to), {"edge", 1});
            model.commit_dependency();
        });
    };
    CHECK(link(3, 1).empty());
    CHECK(link(1, 2).empty());
    CHECK(model.precedes(3, 2));
    CHECK(link(2, 3) == "D7");
    CHECK(link(2, 2) == "D7");
    CHECK(link(1, 2) == "D6");
    CHECK(link(0, 3).empty());
    CHECK(model.precedes(0, 2));
    CHECK(!model.precedes(2, 0));
}

TEST_CASE("recorder: a use is in order by a late edge", "[O1][O3]") {
    ag::recorder model(id);
    add(model, ag::dependencies({}));  // 0
    model.check_alloc(ag::dependencies({}), some_floats);
    model.commit(handle_of(1));
    const ag::memory_use use = use_of(0, true);
    CHECK(rule_of([&] { model.check({node_of(0)}, ag::node_kind::kernel, "k", {&use, 1}); }) == "O1");
    model.check_dependency(node_of(1), node_of(0), {});
    model.commit_dependency();
    model.check({node_of(0)}, ag::node_kind::kernel, "k", {&use, 1});
    model.commit(handle_of(2));
    CHECK(rule_of([&] { model.check_free({node_of(0)}, {{}, {id, 0}, 0}); }) == "O3");
    model.check_free(ag::inferred, {{}, {id, 0}, 0});
    model.commit(handle_of(3));
}

TEST_CASE("recorder: plain graphs lose nodes and edges", "[D3][D6][D7]") {
    for (unsigned program = 0; program < 2'000; ++program) {
        std::mt19937 random(program);
        const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
        ag::recorder model(id);
        std::vector<std::set<std::uint32_t>> parents;
        std::vector<bool> gone;
        const auto reaches = [&](std::uint32_t from, std::uint32_t to) {
            std::vector<std::uint32_t> open{to};
            std::set<std::uint32_t> seen{to};
            while (!open.empty()) {
                const std::uint32_t n = open.back();
                open.pop_back();
                if (n == from) {
                    return true;
                }
                for (const std::uint32_t p : parents[n]) {
                    if (seen.insert(p).second) {
                        open.push_back(p);
                    }
                }
            }
            return false;
        };
        for (int step = 0; step < 40; ++step) {
            const auto nodes = static_cast<std::uint32_t>(parents.size());
            const std::uint32_t what = nodes < 3 ? 0 : below(8);
            const std::uint32_t a = nodes == 0 ? 0 : below(nodes);
            const std::uint32_t b = nodes == 0 ? 0 : below(nodes);
            INFO("program " << program << ", step " << step);
            if (what < 4) {
                std::set<std::uint32_t> deps;
                for (std::uint32_t count = nodes == 0 ? 0 : below(4); count > 0; --count) {
                    deps.insert(below(nodes));
                }
                std::vector<ag::node> given;
                bool dead = false;
                for (const std::uint32_t d : deps) {
                    given.push_back(below(4) == 0 ? ag::node(handle_of(d)) : node_of(d));
                    dead = dead || gone[d];
                }
                const std::string rule = rule_of([&] { add(model, given); });
                REQUIRE(rule == (dead ? "D3" : ""));
                if (!dead) {
                    parents.push_back(deps);
                    gone.push_back(false);
                }
            } else if (what < 6) {
                const std::string expected = gone[a] || gone[b]         ? "D3"
                                             : parents[b].count(a) != 0 ? "D6"
                                             : reaches(b, a)            ? "D7"
                                                                        : "";
                REQUIRE(rule_of([&] {
                            model.check_dependency(node_of(a), node_of(b), {});
                            model.commit_dependency();
                        }) == expected);
                if (expected.empty()) {
                    parents[b].insert(a);
                }
            } else if (what == 6) {
                const std::string expected = gone[a] || gone[b] ? "D3" : parents[b].count(a) == 0 ? "D6" : "";
                REQUIRE(rule_of([&] {
                            model.check_removal(node_of(a), node_of(b), {});
                            model.commit_removal();
                        }) == expected);
                if (expected.empty()) {
                    parents[b].erase(a);
                }
            } else {
                REQUIRE(rule_of([&] {
                            model.check_destruction(node_of(a), {});
                            model.commit_destruction();
                        }) == (gone[a] ? "D3" : ""));
                gone[a] = true;
                parents[a].clear();
                for (auto& p : parents) {
                    p.erase(a);
                }
            }
        }
        for (std::uint32_t a = 0; a < parents.size(); ++a) {
            for (std::uint32_t b = 0; b < parents.size(); ++b) {
                REQUIRE(model.precedes(a, b) == (a != b && reaches(a, b)));
            }
        }
    }
}

TEST_CASE("recorder: a clone is a graph of its own", "[D3]") {
    ag::recorder model(id);
    add(model, ag::dependencies({}));
    add(model, {node_of(0)});
    ag::recorder clone = model.clone_for(id + 1, [](CUgraphNode_st* h) { return handle_of(index_of(h) + 100); });
    CHECK(clone.graph_id() == id + 1);
    CHECK(clone.precedes(0, 1));
    CHECK(rule_of([&] { add(clone, {node_of(0)}); }) == "D3");
    const auto handles = clone.check({ag::node(handle_of(101))}, ag::node_kind::empty, nullptr, {});
    REQUIRE(handles.size() == 1);
    CHECK(clone.commit(handle_of(102)) == 2);
    CHECK(model.node_count() == 2);
    add(model, {node_of(1)});
}

TEST_CASE("recorder: 100,000 nodes in several shapes, with the free of each buffer in order", "[O3]") {
    constexpr std::uint32_t nodes = 100'000;
    constexpr std::uint32_t buffers = 1000;
    for (const std::uint32_t lanes : {1u, 2u, 16u}) {
        ag::recorder model(id);
        std::mt19937 random(lanes);
        std::vector<ag::node> all;
        for (std::uint32_t b = 0; b < buffers; ++b) {
            model.check_alloc(ag::dependencies({}), some_floats);
            all.push_back(node_of(model.commit(handle_of(b))));
        }
        std::vector<ag::node> ends(lanes, node_of(add(model, all)));
        while (model.node_count() < nodes) {
            for (ag::node& end : ends) {
                const std::array<ag::memory_use, 2> uses{use_of(static_cast<std::uint32_t>(random() % buffers), true),
                                                         use_of(static_cast<std::uint32_t>(random() % buffers), false)};
                model.check({end}, ag::node_kind::kernel, "k", uses);
                const std::uint32_t made = model.commit(handle_of(model.node_count()));
                end = node_of(made);
            }
            if (random() % 64 == 0) {
                const ag::node join = node_of(add(model, ends));
                ends.assign(lanes, join);
            }
        }
        if (lanes > 1) {
            // One lane alone does not come after what the others did since the last join.
            const ag::node last = ends[0];
            std::uint32_t early = 0;
            for (std::uint32_t b = 0; b < buffers; ++b) {
                early += rule_of([&] { model.check_free({last}, {{}, {id, b}, 0}); }) == "O3" ? 1u : 0u;
            }
            CHECK(early > 0);
        }
        for (std::uint32_t b = 0; b < buffers; ++b) {
            model.check_free(ends, {{}, {id, b}, 0});
            model.commit(handle_of(model.node_count()));
        }
        model.require_fates({}, {});
        CHECK(model.node_count() >= nodes + buffers);
    }
}

TEST_CASE("recorder: one buffer with very many users side by side", "[O3]") {
    constexpr std::uint32_t users = 100'000;
    ag::recorder model(id);
    model.check_alloc(ag::dependencies({}), some_floats);
    model.commit(handle_of(0));
    const ag::memory_use use = use_of(0, true);
    std::vector<ag::node> all;
    for (std::uint32_t i = 0; i < users; ++i) {
        model.check({node_of(0)}, ag::node_kind::kernel, "k", {&use, 1});
        all.push_back(node_of(model.commit(handle_of(i + 1))));
    }
    const std::vector<ag::node> most(all.begin() + 1, all.end());
    CHECK(rule_of([&] { model.check_free(most, {{}, {id, 0}, 0}); }) == "O3");
    CHECK(rule_of([&] { model.check_free({node_of(0)}, {{}, {id, 0}, 0}); }) == "O3");
    CHECK(model.check_free(ag::inferred, {{}, {id, 0}, 0}).size() == users);
    CHECK(model.check_free(all, {{}, {id, 0}, 0}).size() == users);
    model.commit(handle_of(users + 1));
}

TEST_CASE("recorder: what a body touches counts for its conditional node", "[C9][O3][X9]") {
    ag::recorder model(id);
    for (int i = 0; i < 40; ++i) {
        model.check_alloc(ag::dependencies({}), some_floats);
        model.commit(handle_of(model.node_count()));
    }
    std::vector<ag::node> all;
    std::vector<ag::memory_use> body;
    for (std::uint32_t i = 0; i < 40; ++i) {
        all.push_back(node_of(i));
        body.push_back(use_of(i, i % 2 == 0));
        body.push_back(use_of(i, i % 3 == 0));  // several nodes of the body touch it
    }
    model.check(all, ag::node_kind::conditional, nullptr, body);
    const std::uint32_t conditional = model.commit(handle_of(40));
    for (std::uint32_t i = 0; i < 40; ++i) {
        CHECK(rule_of([&] { model.check_free({node_of(i)}, {{}, {id, i}, 0}); }) == "O3");
        const auto handles = model.check_free(ag::inferred, {{}, {id, i}, 0});
        REQUIRE(handles.size() == 1);
        CHECK(handles[0] == handle_of(conditional));
        model.commit(handle_of(model.node_count()));
    }
}

TEST_CASE("recorder: the room of a recorder serves the next") {
    const auto record = [](std::uint32_t graph, std::uint32_t nodes) {
        ag::recorder model(graph);
        for (std::uint32_t i = 0; i < nodes; ++i) {
            model.check_alloc(i == 0 ? ag::dependencies({}) : ag::dependencies({node_of(i - 1, graph)}), some_floats);
            model.commit(handle_of(i), i);
        }
        return model;
    };
    {
        ag::recorder first = record(1, 1000);
    }
    ag::recorder second = record(2, 10);
    ag::recorder third = record(3, 2000);
    CHECK(second.node_count() == 10);
    CHECK(second.precedes(0, 9));
    CHECK(third.precedes(0, 1999));
    CHECK(!third.precedes(5, 4));
    CHECK(second.describe(9) == "float[256], 1 KiB");
    second = record(4, 3);
    CHECK(second.node_count() == 3);
    CHECK(second.graph_id() == 4);
}
