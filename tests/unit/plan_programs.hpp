#pragma once

// Random programs that keep every rule, drawn up beforehand, so that one runs on any graph: planned, unplanned, in the
// model. Who comes before whom is kept by plain closure here, without the library.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <allograph/model/node_builder.hpp>
#include <allograph/model/outputs.hpp>

namespace plan_test {

namespace ag = allograph;

inline constexpr std::size_t most_ops = 160;
using op_set = std::bitset<most_ops>;

enum class op_kind { alloc, memset, copy, kernel, empty, free, edge };

struct op {
    op_kind kind;
    unsigned allocation = 0;  // made, written or freed
    unsigned source = 0;      // read
    std::vector<unsigned> deps;
    bool inferred = false;
    unsigned from = 0, to = 0;  // of an edge
};

struct program {
    struct allocation {
        unsigned made_by;
        unsigned freed_by = 0;  // 0 for one that leaves
        unsigned elements;
    };
    std::vector<op> ops;
    std::vector<allocation> allocations;
    std::vector<op_set> before;  // of each op, all that come before it

    [[nodiscard]] bool ordered(unsigned first, unsigned second) const { return before[second][first]; }
    [[nodiscard]] bool leaves(unsigned a) const { return allocations[a].freed_by == 0; }
    [[nodiscard]] std::uint64_t bytes(unsigned a) const { return allocations[a].elements * sizeof(float); }
    /// Both live at once in some order.
    [[nodiscard]] bool conflict(unsigned a, unsigned b) const {
        const auto dead_before = [&](unsigned x, unsigned y) {
            return !leaves(x) && ordered(allocations[x].freed_by, allocations[y].made_by);
        };
        return a != b && !dead_before(a, b) && !dead_before(b, a);
    }
};

struct program_style {
    unsigned ops = 40;
    unsigned live = 6;         // allocations at a time, about
    unsigned elements = 600;   // at most, of an allocation
    unsigned extra_order = 3;  // one in so many nodes gets a dependency that it does not need; 0: none
    bool outputs = true;
    bool late_edges = true;
    bool inferred = true;
    bool kernels = true;
};

class program_maker {
public:
    program_maker(std::uint64_t seed, const program_style& style) : random_(seed), style_(style) {}

    program make() {
        while (made_.ops.size() + open_.size() + 2 < style_.ops) {
            step();
        }
        while (!open_.empty()) {
            const unsigned a = open_.back();
            open_.pop_back();
            if (!style_.outputs || below(4) != 0) {
                release(a);
            }
        }
        return std::move(made_);
    }

private:
    struct use {
        unsigned node;
        bool writes;
    };

    unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
    bool one_in(unsigned n) { return n != 0 && below(n) == 0; }

    void step() {
        const unsigned what = below(10);
        if (open_.empty() || (what < 3 && open_.size() < style_.live)) {
            const unsigned a = static_cast<unsigned>(made_.allocations.size());
            uses_.emplace_back();
            made_.allocations.push_back({static_cast<unsigned>(made_.ops.size()), 0, 1 + below(style_.elements)});
            std::vector<unsigned> after;
            if (!made_.ops.empty() && below(5) != 0) {
                after.push_back(any_node());
            }
            add({op_kind::alloc, a, 0, after, false, 0, 0}, {});
            touch({op_kind::memset, a, 0, {}, false, 0, 0}, {{a, true}});  // nothing reads what nobody wrote
            open_.push_back(a);
        } else if (what < 5 && open_.size() > 1) {
            const unsigned place = below(open_.size());
            const unsigned a = open_[place];
            open_.erase(open_.begin() + place);
            if (style_.outputs && one_in(12)) {
                return;  // it leaves
            }
            release(a);
        } else if (what == 5) {
            std::vector<unsigned> after;
            for (unsigned i = below(4); i > 0; --i) {
                const unsigned n = any_node();
                bool seen = false;
                for (const unsigned d : after) {
                    seen = seen || d == n;
                }
                if (!seen) {
                    after.push_back(n);
                }
            }
            add({op_kind::empty, 0, 0, after, false, 0, 0}, {});
        } else if (what == 6 && style_.late_edges) {
            late_edge();
        } else {
            const unsigned to = open_[below(open_.size())];
            const unsigned from = open_[below(open_.size())];
            if (to == from || !style_.kernels || one_in(4)) {
                touch({op_kind::memset, to, 0, {}, false, 0, 0}, {{to, true}});
            } else if (one_in(3)) {
                touch({op_kind::copy, to, from, {}, false, 0, 0}, {{from, false}, {to, true}});
            } else {
                touch({op_kind::kernel, to, from, {}, false, 0, 0}, {{from, false}, {to, true}});
            }
        }
    }

    unsigned any_node() {
        unsigned n = below(made_.ops.size());
        while (made_.ops[n].kind == op_kind::edge) {
            n = below(made_.ops.size());
        }
        return n;
    }

    void release(unsigned a) {
        made_.allocations[a].freed_by = static_cast<unsigned>(made_.ops.size());
        touch({op_kind::free, a, 0, {}, false, 0, 0}, {{a, true}});
    }

    /// Adds a node behind all that its uses need.
    void touch(op o, const std::vector<std::pair<unsigned, bool>>& touched) {
        op_set needed;
        for (const auto& [a, writes] : touched) {
            needed.set(made_.allocations[a].made_by);
            for (const use& u : uses_[a]) {
                if (writes || u.writes) {
                    needed.set(u.node);
                }
            }
        }
        o.inferred = style_.inferred && one_in(4);
        if (!o.inferred) {
            for (unsigned n = 0; n < made_.ops.size(); ++n) {
                if (!needed[n]) {
                    continue;
                }
                bool implied = false;
                for (unsigned other = 0; other < made_.ops.size(); ++other) {
                    implied = implied || (needed[other] && made_.before[other][n]);
                }
                if (!implied || one_in(5)) {
                    o.deps.push_back(n);
                }
            }
            if (one_in(style_.extra_order)) {
                const unsigned n = any_node();
                bool seen = false;
                for (const unsigned d : o.deps) {
                    seen = seen || d == n;
                }
                if (!seen) {
                    o.deps.push_back(n);
                }
            }
        }
        const unsigned n = static_cast<unsigned>(made_.ops.size());
        add(std::move(o), needed);
        for (const auto& [a, writes] : touched) {
            uses_[a].push_back({n, writes});
        }
    }

    void add(op o, const op_set& needed) {
        op_set before = needed;
        for (const unsigned d : o.deps) {
            before.set(d);
        }
        direct_.push_back(before);
        op_set all = before;
        for (unsigned n = 0; n < made_.ops.size(); ++n) {
            if (before[n]) {
                all |= made_.before[n];
            }
        }
        made_.before.push_back(all);
        made_.ops.push_back(std::move(o));
    }

    void late_edge() {
        const unsigned from = any_node();
        const unsigned to = any_node();
        if (from == to || made_.before[from][to] || direct_[to][from]) {
            return;  // a cycle, or perhaps there already
        }
        for (unsigned n = 0; n < made_.ops.size(); ++n) {
            if (n == to || made_.before[n][to]) {
                made_.before[n] |= made_.before[from];
                made_.before[n].set(from);
            }
        }
        direct_[to].set(from);
        op o{op_kind::edge, 0, 0, {}, false, from, to};
        made_.ops.push_back(o);
        made_.before.emplace_back();
        direct_.emplace_back();
    }

    std::mt19937_64 random_;
    program_style style_;
    program made_;
    std::vector<op_set> direct_;
    std::vector<unsigned> open_;
    std::vector<std::vector<use>> uses_;
};

inline program random_program(std::uint64_t seed, const program_style& style = {}) { return program_maker(seed, style).make(); }

using scale_add_kernel = ag::kernel<void(int, float, const float*, float*)>;

/// Runs a drawn program on any graph.
struct run_drawn {
    /// @param handles  of each op's node, where wanted
    template <class G>
    auto operator()(G& g, const program& p, const scale_add_kernel& scale_add,
                    std::vector<CUgraphNode_st*>* handles = nullptr) const {
        std::vector<ag::node> nodes(p.ops.size());
        std::vector<ag::alloc_node<float>> tokens;
        std::vector<ag::alloc_node<float>> leaving;
        tokens.reserve(p.allocations.size());
        std::vector<ag::device_span<float>> spans;
        for (std::size_t i = 0; i < p.ops.size(); ++i) {
            const op& o = p.ops[i];
            std::vector<ag::node> after;
            for (const unsigned d : o.deps) {
                after.push_back(nodes[d]);
            }
            const auto value = static_cast<float>(i % 13) - 5.0f;
            const auto add = [&](const ag::dependencies& deps) {
                switch (o.kind) {
                case op_kind::alloc:
                    tokens.push_back(g.template add_alloc<float>(deps, p.allocations[o.allocation].elements));
                    spans.push_back(tokens.back().span());
                    nodes[i] = tokens.back();
                    break;
                case op_kind::memset:
                    nodes[i] = g.add_memset(deps, spans[o.allocation], value);
                    break;
                case op_kind::copy: {
                    const std::size_t n = common(p, o);
                    nodes[i] = g.add_memcpy(deps, spans[o.allocation].last(n), spans[o.source].first(n));
                    break;
                }
                case op_kind::kernel: {
                    const auto n = static_cast<int>(common(p, o));
                    nodes[i] = g.add_kernel(deps, scale_add, ag::grid_for(static_cast<std::size_t>(n)), n, 0.5f,
                                            spans[o.source].data(), spans[o.allocation].data());
                    break;
                }
                case op_kind::empty:
                    nodes[i] = g.add_empty(deps);
                    break;
                case op_kind::free:
                    nodes[i] = g.add_free(deps, std::move(tokens[o.allocation]));
                    break;
                case op_kind::edge:
                    g.add_dependency(nodes[o.from], nodes[o.to]);
                    break;
                }
            };
            if (o.inferred) {
                add(ag::inferred);
            } else {
                add(after);
            }
            if (handles != nullptr) {
                handles->resize(p.ops.size());
                (*handles)[i] = nodes[i].get();
            }
        }
        for (unsigned a = 0; a < p.allocations.size(); ++a) {
            if (p.leaves(a)) {
                leaving.push_back(std::move(tokens[a]));
            }
        }
        return ag::outputs(std::move(leaving));
    }

    static std::size_t common(const program& p, const op& o) {
        return std::min(p.allocations[o.allocation].elements, p.allocations[o.source].elements);
    }
};

}  // namespace plan_test
