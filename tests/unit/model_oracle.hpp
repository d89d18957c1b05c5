#pragma once

// An oracle for the model, written from rules.md and not from the model's headers: it keeps plain edges and answers
// every question by walking all of them. `compare` builds one random program, step by step, in the oracle, in the
// run-time recorder and in the static graph, and says where they disagree.

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <allograph/model/recorder.hpp>
#include <allograph/model/static_graph.hpp>

namespace model_test {

namespace ag = allograph;

struct oracle {
    struct use {
        int node;
        bool writes;
    };
    struct allocation {
        int node;
        int freed_by = -1;
        std::vector<use> uses;
    };

    std::vector<std::set<int>> parents;
    std::vector<allocation> allocations;
    bool ask_for_races = false;

    [[nodiscard]] std::set<int> ancestors_or_self(const std::set<int>& of) const {
        std::set<int> found = of;
        std::vector<int> open(of.begin(), of.end());
        while (!open.empty()) {
            const int n = open.back();
            open.pop_back();
            for (const int p : parents[static_cast<std::size_t>(n)]) {
                if (found.insert(p).second) {
                    open.push_back(p);
                }
            }
        }
        return found;
    }
    [[nodiscard]] bool comes_before(int first, int second) const {
        return first != second && ancestors_or_self({second}).count(first) != 0;
    }

    /// What a node that touches these allocations must come after.
    [[nodiscard]] std::set<int> needed(const std::vector<std::pair<int, bool>>& touched) const {
        std::set<int> all;
        for (const auto& [a, writes] : touched) {
            const allocation& m = allocations[static_cast<std::size_t>(a)];
            all.insert(m.node);
            for (const use& u : m.uses) {
                if (writes || u.writes) {
                    all.insert(u.node);
                }
            }
        }
        return all;
    }
    /// Those that no other of them comes after.
    [[nodiscard]] std::set<int> reduced(const std::set<int>& nodes) const {
        std::set<int> kept;
        for (const int n : nodes) {
            const bool implied = std::any_of(nodes.begin(), nodes.end(), [&](int other) { return comes_before(n, other); });
            if (!implied) {
                kept.insert(n);
            }
        }
        return kept;
    }

    [[nodiscard]] std::set<std::string> rules_of_use(const std::set<int>& deps,
                                                     const std::vector<std::pair<int, bool>>& touched) const {
        std::set<std::string> rules;
        const std::set<int> earlier = ancestors_or_self(deps);
        for (const auto& [a, writes] : touched) {
            const allocation& m = allocations[static_cast<std::size_t>(a)];
            if (m.freed_by >= 0) {
                rules.insert("O2");
                continue;
            }
            if (earlier.count(m.node) == 0) {
                rules.insert("O1");
            }
            for (const use& u : m.uses) {
                if (ask_for_races && (writes || u.writes) && earlier.count(u.node) == 0) {
                    rules.insert("O6");
                }
            }
        }
        return rules;
    }
    [[nodiscard]] std::set<std::string> rules_of_free(const std::set<int>& deps, int a) const {
        const allocation& m = allocations[static_cast<std::size_t>(a)];
        if (m.freed_by >= 0) {
            return {"F1"};
        }
        const std::set<int> earlier = ancestors_or_self(deps);
        for (const use& u : m.uses) {
            if (earlier.count(u.node) == 0) {
                return {"O3"};
            }
        }
        return earlier.count(m.node) == 0 ? std::set<std::string>{"O4"} : std::set<std::string>{};
    }
};

struct tally {
    std::map<std::string, long> broken;  // how often each rule was broken, and seen
    long nodes = 0;
    long late_edges = 0;
    long inferred = 0;
};

inline CUgraphNode_st* handle_of(int n) { return reinterpret_cast<CUgraphNode_st*>(static_cast<std::uintptr_t>(n + 1) * 64); }

/// @param choose  choose(n) gives a number below n
/// @return where model and oracle disagree, or nothing
template <class Choose>
std::string compare(Choose&& choose, int steps, tally& count) {
    constexpr std::uint32_t id = 7;
    oracle truth;
    ag::recorder model(id);
    static thread_local std::vector<char> block;    // static graphs are large: one, made anew each time
    using small_graph = ag::static_graph<512, 64>;  // 60 nodes, and an edge between any two of them while they are inferred
    block.resize(sizeof(small_graph) + alignof(small_graph));
    void* place = block.data();
    std::size_t space = block.size();
    place = std::align(alignof(small_graph), sizeof(small_graph), place, space);
    truth.ask_for_races = choose(4) == 0;
    model.report_races(truth.ask_for_races);
    small_graph* fixed = ::new (place) small_graph(truth.ask_for_races, id);
    bool fixed_runs = true;

    const auto make = [&](int n) {
        return ag::detail::handle_access::make_node(handle_of(n), id, static_cast<std::uint32_t>(n));
    };
    const auto pick = [&](int n) { return static_cast<int>(choose(static_cast<unsigned>(n))); };
    const auto fault = [&] { return choose(10) == 0; };

    for (int step = 0; step < steps; ++step) {
        const int nodes = static_cast<int>(truth.parents.size());
        const int allocations = static_cast<int>(truth.allocations.size());
        const unsigned what = choose(16);
        std::set<std::string> expected;
        std::string seen;

        if (what == 0 && nodes >= 2) {  // an edge between nodes that are there
            int from = pick(nodes);
            int to = pick(nodes);
            if (from > to && choose(2) == 0) {
                std::swap(from, to);
            }
            if (truth.parents[static_cast<std::size_t>(to)].count(from) != 0) {
                expected.insert("D6");
            } else if (from == to || truth.comes_before(to, from)) {
                expected.insert("D7");
            }
            try {
                model.check_dependency(make(from), make(to), {"edge", 1});
            } catch (const ag::misuse& m) {
                seen = m.rule();
            }
            if (seen.empty()) {
                model.commit_dependency();
                ++count.late_edges;
            }
            if (fixed_runs) {
                fixed->emit_dependency(make(from), make(to), {"edge", 1});
            }
            if (expected.empty()) {
                truth.parents[static_cast<std::size_t>(to)].insert(from);
            }
        } else {
            const bool alloc = allocations == 0 || what < 4;
            int freed = -1;
            std::vector<std::pair<int, bool>> touched;
            if (!alloc && what < 8) {
                freed = pick(allocations);
                for (int i = 0; i < 8 && truth.allocations[static_cast<std::size_t>(freed)].freed_by >= 0 && !fault(); ++i) {
                    freed = pick(allocations);
                }
                if (truth.allocations[static_cast<std::size_t>(freed)].freed_by >= 0 && !fault()) {
                    continue;
                }
            } else if (!alloc) {
                for (int uses = 1 + pick(3); uses > 0; --uses) {
                    const int a = pick(allocations);
                    if (truth.allocations[static_cast<std::size_t>(a)].freed_by < 0 || fault()) {
                        touched.emplace_back(a, choose(2) == 0);
                    }
                }
            }
            // Dependencies: some at random, and unless a fault is wanted those that the uses need.
            const bool inferred = choose(5) == 0;
            std::vector<int> deps;
            const auto depend_on = [&](int n) {
                if (std::find(deps.begin(), deps.end(), n) == deps.end()) {
                    deps.push_back(n);
                }
            };
            for (int extra = pick(3); extra > 0 && nodes > 0; --extra) {
                depend_on(choose(2) == 0 ? pick(nodes) : nodes - 1 - pick(std::min(nodes, 4)));
            }
            std::vector<std::pair<int, bool>> order = touched;
            if (freed >= 0) {
                order.emplace_back(freed, true);
            }
            if (!inferred) {
                const std::set<int> all = truth.needed(order);
                const std::set<int> fewest = truth.reduced(all);
                for (const int n : choose(3) == 0 ? all : fewest) {
                    if (!fault()) {
                        depend_on(n);
                    }
                }
            }
            std::vector<ag::node> given;
            for (const int n : deps) {
                given.push_back(choose(8) == 0 ? ag::node(handle_of(n)) : make(n));
            }
            if (fault() && fault()) {
                switch (choose(5)) {
                case 0:
                    if (!given.empty()) {
                        given.push_back(given.front());
                        expected.insert("D2");
                    }
                    break;
                case 1:
                    given.push_back(ag::detail::handle_access::make_node(handle_of(1), id + 1, 0));
                    expected.insert("D3");
                    break;
                case 2:
                    given.push_back(ag::node(handle_of(100000)));
                    expected.insert("D3");
                    break;
                case 3:
                    given.emplace_back();
                    expected.insert("D4");
                    break;
                default:
                    given.push_back(ag::detail::handle_access::make_node(nullptr, id, ag::detail::spent_index));
                    expected.insert("F9");
                    break;
                }
            }
            const std::set<int> direct(deps.begin(), deps.end());
            std::set<int> edges = direct;
            if (inferred) {
                std::set<int> all = truth.needed(order);
                all.insert(direct.begin(), direct.end());
                edges = truth.reduced(all);
                ++count.inferred;
            }
            if (expected.empty()) {
                const auto broken = freed >= 0 ? truth.rules_of_free(edges, freed) : truth.rules_of_use(edges, touched);
                expected.insert(broken.begin(), broken.end());
            }

            std::vector<ag::memory_use> uses;
            for (const auto& [a, writes] : touched) {
                uses.push_back({{id, static_cast<std::uint32_t>(a)}, writes ? ag::access::write : ag::access::read});
            }
            const auto dependencies = [&](auto&& f) {
                // `after(...) + inferred` holds a fixed number of nodes.
                if (!inferred) {
                    f(ag::dependencies(given, "node", static_cast<unsigned>(nodes + 1)));
                } else if (given.empty()) {
                    f(ag::dependencies(ag::inferred, "node", static_cast<unsigned>(nodes + 1)));
                } else if (given.size() == 1) {
                    f(ag::dependencies(ag::after(given[0]) + ag::inferred, "node", static_cast<unsigned>(nodes + 1)));
                } else if (given.size() == 2) {
                    f(ag::dependencies(ag::after(given[0], given[1]) + ag::inferred, "node", static_cast<unsigned>(nodes + 1)));
                } else {
                    f(ag::dependencies(ag::after(given[0], given[1], given[2]) + ag::inferred, "node",
                                       static_cast<unsigned>(nodes + 1)));
                }
            };
            const ag::alloc_request request{1024, 256, 4, "float", {}};
            const ag::free_request release{{}, {id, static_cast<std::uint32_t>(freed < 0 ? 0 : freed)}, 0};
            std::set<int> handed;
            std::size_t handed_count = 0;
            try {
                dependencies([&](const ag::dependencies& d) {
                    const auto handles = alloc        ? model.check_alloc(d, request)
                                         : freed >= 0 ? model.check_free(d, release)
                                                      : model.check(d, ag::node_kind::kernel, "k", uses);
                    handed_count = handles.size();
                    for (CUgraphNode_st* h : handles) {
                        handed.insert(static_cast<int>(reinterpret_cast<std::uintptr_t>(h) / 64) - 1);
                    }
                });
            } catch (const ag::misuse& m) {
                seen = m.rule();
            }
            if (seen.empty()) {
                if (expected.empty() && (handed != edges || handed_count != edges.size())) {
                    return "step " + std::to_string(step) + ": other dependencies than expected";
                }
                if (model.commit(handle_of(nodes)) != static_cast<std::uint32_t>(nodes)) {
                    return "step " + std::to_string(step) + ": another index than expected";
                }
            }
            // The static graph takes no raw handles: it has none.
            for (std::size_t i = 0; i < given.size() && i < deps.size(); ++i) {
                given[i] = make(deps[i]);
            }
            if (expected.count("D2") != 0) {
                given.back() = given.front();
            }
            if (fixed_runs) {
                dependencies([&](const ag::dependencies& d) {
                    if (alloc) {
                        fixed->emit_alloc(d, request);
                    } else if (freed >= 0) {
                        fixed->emit_free(d, release);
                    } else {
                        fixed->emit_kernel(d, uses, 0, ag::launch_config{});
                    }
                });
            }
            if (expected.empty()) {
                truth.parents.push_back(edges);
                ++count.nodes;
                if (alloc) {
                    truth.allocations.push_back({nodes, -1, {}});
                } else if (freed >= 0) {
                    truth.allocations[static_cast<std::size_t>(freed)].freed_by = nodes;
                }
                for (const auto& [a, writes] : touched) {
                    truth.allocations[static_cast<std::size_t>(a)].uses.push_back({nodes, writes});
                }
            }
        }

        if (expected.empty() != seen.empty() || (!seen.empty() && expected.count(seen) == 0)) {
            return "step " + std::to_string(step) + ": the recorder says " + (seen.empty() ? "yes" : seen) + ", the oracle " +
                   (expected.empty() ? "yes" : *expected.begin());
        }
        if (!seen.empty()) {
            ++count.broken[seen];
        }
        if (fixed_runs) {
            const ag::verdict answer = fixed->result();
            const std::string rule = answer.rule == nullptr ? "" : answer.rule;
            if (rule.empty() != expected.empty() || (!rule.empty() && expected.count(rule == "X9" ? "O2" : rule) == 0)) {
                return "step " + std::to_string(step) + ": the static graph says " + (rule.empty() ? "yes" : rule) +
                       ", the oracle " + (expected.empty() ? "yes" : *expected.begin());
            }
            if (rule == "X9") {
                ++count.broken["X9"];
            }
            fixed_runs = rule.empty();  // it takes no notice of anything behind its first mistake
        }
    }
    // All pairs.
    for (int a = 0; a < static_cast<int>(truth.parents.size()); ++a) {
        const std::set<int> earlier = truth.ancestors_or_self({a});
        for (int b = 0; b < static_cast<int>(truth.parents.size()); ++b) {
            if (model.precedes(static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(a)) !=
                (a != b && earlier.count(b) != 0)) {
                return "the recorder is wrong about " + std::to_string(b) + " before " + std::to_string(a);
            }
        }
    }
    fixed->~small_graph();
    return {};
}

}  // namespace model_test
