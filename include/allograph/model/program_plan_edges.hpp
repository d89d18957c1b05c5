#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include <allograph/model/memory_plan.hpp>
#include <allograph/model/program_plan_record.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// No edge leads back: the nodes may run as they are numbered.
inline bool ascending(std::span<const model::order_edge> edges) noexcept {
    return std::all_of(edges.begin(), edges.end(), [](const model::order_edge& e) { return e.before < e.after; });
}

/// The nodes in an order that keeps all edges, for edges that are not ascending.
/// @param edges  without a cycle
inline std::vector<std::uint32_t> running_order(std::uint32_t nodes, std::span<const model::order_edge> edges) {
    std::vector<std::uint32_t> order(nodes);
    const model::detail::order_index index(nodes, edges, 1);
    std::copy(index.topological().begin(), index.topological().end(), order.begin());
    return order;
}

/// The graph of a program whose planned allocations lie in arenas: which nodes are left, and what each comes after.
///
/// A planned allocation or free vanishes: what depends on it depends on what it depended on instead, and on the
/// arena's allocation where nothing else leads there. Where that would multiply edges, an empty node stands in. Nodes
/// go by their numbers in the program; the arena allocations follow as `arena_node(k)`.
class planned_edges {
public:
    enum class role : std::uint8_t { kept, vanished, stood_for_by_an_empty_node };

    planned_edges(const program_record& program, const memory_plan& plan)
        : nodes_(program.node_count()), arenas_(static_cast<std::uint32_t>(plan.arenas().size())), roles_(nodes_, role::kept),
          arena_of_(nodes_, no_arena) {
        for (const memory_plan::allocation& a : plan.allocations()) {
            const program_record::allocation& recorded = program.allocations()[a.number];
            roles_[recorded.made_by] = roles_[recorded.freed_by] = role::vanished;
            arena_of_[recorded.made_by] = a.arena;
        }
        if (plan.added_edges().empty()) {
            settle_all(program.edges());
        } else {
            std::vector<model::order_edge> edges = program.edges();
            for (const memory_plan::added_edge& e : plan.added_edges()) {
                edges.push_back({program.allocations()[plan.allocations()[e.freed].number].freed_by,
                                 program.allocations()[plan.allocations()[e.allocated].number].made_by});
            }
            settle_all(edges);
        }
        find_last(program, plan);
    }

    [[nodiscard]] role role_of(std::uint32_t n) const noexcept { return roles_[n]; }
    /// What a node that is kept, or an empty node, comes after, and is there before it: each once.
    [[nodiscard]] std::span<const std::uint32_t> dependencies_of(std::uint32_t n) const noexcept {
        return {lists_.data() + now_[n].begin, lists_.data() + now_[n].late};
    }
    /// The same for what is not there when the node is added: the edges that lead back.
    [[nodiscard]] std::span<const std::uint32_t> late_dependencies_of(std::uint32_t n) const noexcept {
        return {lists_.data() + now_[n].late, lists_.data() + now_[n].end};
    }
    [[nodiscard]] bool any_late() const noexcept { return any_late_; }
    /// What the free of an arena comes after.
    [[nodiscard]] std::span<const std::uint32_t> last_of(std::uint32_t arena) const noexcept { return last_[arena]; }
    [[nodiscard]] std::uint32_t arena_node(std::uint32_t arena) const noexcept { return nodes_ + arena; }

private:
    static constexpr std::uint32_t no_arena = 0xFFFFFFFFu;
    static constexpr std::size_t few = 16;

    struct stretch {
        std::uint32_t begin, late, end;
    };

    void settle_all(std::span<const model::order_edge> edges) {
        collect(edges);
        if (!ascending(edges)) {
            order_ = running_order(nodes_, edges);
        }
        for (std::uint32_t i = 0; i < nodes_; ++i) {
            const std::uint32_t v = in_order(i);
            if (!settle_after_one(v)) {
                settle(v);
            }
        }
    }
    [[nodiscard]] std::uint32_t in_order(std::uint32_t place) const noexcept { return order_.empty() ? place : order_[place]; }

    void collect(std::span<const model::order_edge> edges) {
        first_.assign(std::size_t{nodes_} + 1, 0);
        dependents_.assign(nodes_, 0);
        before_.resize(edges.size());
        std::uint32_t* before = before_.data();
        leads_to_vanished_.assign(nodes_, 0);
        bool sorted = true;
        std::uint32_t last = 0;
        for (const model::order_edge& e : edges) {
            ++first_[e.after + 1];
            ++dependents_[e.before];
            if (roles_[e.after] != role::kept) {
                leads_to_vanished_[e.before] = 1;
            }
            *before++ = e.before;
            sorted = sorted && last <= e.after;
            last = e.after;
        }
        for (std::uint32_t i = 0; i < nodes_; ++i) {
            first_[i + 1] += first_[i];
        }
        if (!sorted) {
            std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
            for (const model::order_edge& e : edges) {
                before_[next[e.after]++] = e.before;
            }
        }
        now_.assign(nodes_, {});
        behind_.assign(std::size_t{nodes_} + arenas_, 0);
        for (std::uint32_t k = 0; k < arenas_; ++k) {
            behind_[arena_node(k)] = std::uint64_t{1} << k;
        }
        mark_.assign(std::size_t{nodes_} + arenas_, 0);
        lists_.reserve(std::size_t{nodes_} + arenas_ + edges.size() / 2);
        lists_.resize(std::size_t{nodes_} + arenas_);
        for (std::uint32_t n = 0; n < nodes_ + arenas_; ++n) {
            lists_[n] = n;
        }
    }

    /// Adds what stands for a node to the list that is being made.
    void add(std::uint32_t n) {
        if (n < nodes_ && roles_[n] == role::vanished) {
            for (std::uint32_t i = now_[n].begin; i < now_[n].end; ++i) {
                add_one(lists_[i]);
            }
        } else {
            add_one(n);
        }
    }
    void add_one(std::uint32_t n) {
        if (mark_[n] != round_) {
            mark_[n] = round_;
            list_.push_back(n);
        }
    }
    /// True where a node is there when `n` is added.
    [[nodiscard]] bool earlier(std::uint32_t before, std::uint32_t n) const noexcept { return before >= nodes_ || before < n; }

    /// `settle` for most nodes: what comes after one node alone, and needs nothing else. @return whether it is one
    bool settle_after_one(std::uint32_t v) {
        if (first_[v + 1] - first_[v] != 1) {
            return false;
        }
        std::uint32_t n = before_[first_[v]];
        if (roles_[n] == role::vanished) {
            if (now_[n].end - now_[n].begin != 1) {
                return false;
            }
            n = lists_[now_[n].begin];
        }
        const bool there = earlier(n, v);
        const std::uint64_t behind = there ? behind_[n] : 0;
        if (arena_of_[v] != no_arena && (n >= nodes_ || (behind >> arena_of_[v] & 1) == 0)) {
            return false;  // its arena's allocation comes before it, too
        }
        behind_[v] = behind;
        now_[v] = {n, n + (there ? 1 : 0), n + 1};
        any_late_ = any_late_ || (!there && roles_[v] != role::vanished);
        return true;
    }

    void settle(std::uint32_t v) {
        ++round_;
        list_.clear();
        for (std::uint32_t i = first_[v]; i < first_[v + 1]; ++i) {
            add(before_[i]);
        }
        std::uint64_t behind = 0;
        for (const std::uint32_t n : list_) {
            behind |= earlier(n, v) && n < nodes_ ? behind_[n] : 0;
        }
        if (arena_of_[v] != no_arena && (behind >> arena_of_[v] & 1) == 0) {
            add_one(arena_node(arena_of_[v]));
        }
        drop_implied(v, behind);
        for (const std::uint32_t n : list_) {
            behind |= n >= nodes_ ? behind_[n] : 0;
        }
        behind_[v] = behind;
        if (roles_[v] == role::vanished) {
            const std::size_t in = list_.size();
            const std::size_t out = dependents_[v];
            if (in * out > in + out || (in > few && leads_to_vanished_[v] != 0)) {
                roles_[v] = role::stood_for_by_an_empty_node;
            }
        }
        // Two passes: std::stable_partition of libstdc++ 12 warns under clang 19.
        const auto begin = static_cast<std::uint32_t>(lists_.size());
        std::copy_if(list_.begin(), list_.end(), std::back_inserter(lists_), [&](std::uint32_t n) { return earlier(n, v); });
        const auto late = static_cast<std::uint32_t>(lists_.size());
        std::copy_if(list_.begin(), list_.end(), std::back_inserter(lists_), [&](std::uint32_t n) { return !earlier(n, v); });
        now_[v] = {begin, late, static_cast<std::uint32_t>(lists_.size())};
        any_late_ = any_late_ || (late != lists_.size() && roles_[v] != role::vanished);
    }

    /// Drops what another of the list comes after, where that is cheap to see: an arena's allocation that the list
    /// leads to, and what stands directly before another. Only by edges that are there when `v` is added.
    void drop_implied(std::uint32_t v, std::uint64_t behind) {
        if (list_.size() < 2) {
            return;
        }
        for (std::size_t i = 0; i < list_.size(); ++i) {
            const std::uint32_t n = list_[i];
            if (n >= nodes_ || !earlier(n, v) || now_[n].late - now_[n].begin > few) {
                continue;
            }
            for (std::uint32_t k = now_[n].begin; k < now_[n].late; ++k) {
                if (mark_[lists_[k]] == round_) {
                    mark_[lists_[k]] = 0;
                }
            }
        }
        const auto gone = [&](std::uint32_t n) {
            return mark_[n] != round_ || (n >= nodes_ && (behind >> (n - nodes_) & 1) != 0);
        };
        list_.erase(std::remove_if(list_.begin(), list_.end(), gone), list_.end());
    }

    /// An arena is freed after the last nodes before the frees of its allocations.
    void find_last(const program_record& program, const memory_plan& plan) {
        last_.resize(arenas_);
        for (std::uint32_t k = 0; k < arenas_; ++k) {
            ++round_;
            list_.clear();
            for (const memory_plan::allocation& a : plan.allocations()) {
                if (a.arena == k) {
                    add(program.allocations()[a.number].freed_by);
                }
            }
            std::vector<std::uint8_t> leads(std::size_t{nodes_} + arenas_, 0);  // to one of the list, or is one
            std::vector<std::uint8_t> inner(std::size_t{nodes_} + arenas_, 0);  // leads to another of the list
            for (const std::uint32_t n : list_) {
                leads[n] = 1;
            }
            for (std::uint32_t i = nodes_; i-- > 0;) {
                const std::uint32_t v = in_order(i);
                if (leads[v] != 0 && roles_[v] != role::vanished) {
                    for (std::uint32_t e = now_[v].begin; e < now_[v].end; ++e) {
                        leads[lists_[e]] = inner[lists_[e]] = 1;
                    }
                }
            }
            for (const std::uint32_t n : list_) {
                if (inner[n] == 0) {
                    last_[k].push_back(n);
                }
            }
        }
    }

    std::uint32_t nodes_;
    std::uint32_t arenas_;
    std::vector<role> roles_;
    std::vector<std::uint32_t> arena_of_;        // of the allocation nodes that vanish
    std::vector<std::uint32_t> first_, before_;  // of each node, what it comes after in the program
    std::vector<std::uint32_t> dependents_;
    std::vector<std::uint8_t> leads_to_vanished_;
    std::vector<stretch> now_;           // of each node, what it comes after now, in lists_
    std::vector<std::uint32_t> lists_;   // first of all nodes, for lists of one; then what is longer
    std::vector<std::uint64_t> behind_;  // the arenas whose allocation a node comes after
    std::vector<std::uint32_t> order_;   // empty where the nodes run as they are numbered
    std::vector<std::vector<std::uint32_t>> last_;
    bool any_late_ = false;

    std::vector<std::uint32_t> list_;
    std::vector<std::uint32_t> mark_;
    std::uint32_t round_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
