#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <allograph/model/memory_plan.hpp>
#include <allograph/model/program_plan_record.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// The places of nodes in an order that keeps all edges: their own numbers where no edge leads back.
/// @param edges  without a cycle
inline std::vector<std::uint32_t> running_order(std::uint32_t nodes, std::span<const model::order_edge> edges) {
    std::vector<std::uint32_t> order(nodes);
    for (std::uint32_t i = 0; i < nodes; ++i) {
        order[i] = i;
    }
    if (std::all_of(edges.begin(), edges.end(), [](const model::order_edge& e) { return e.before < e.after; })) {
        return order;
    }
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
            arena_of_[recorded.made_by] = arena_of_[recorded.freed_by] = a.arena;
        }
        std::vector<model::order_edge> edges = program.edges();
        for (const memory_plan::added_edge& e : plan.added_edges()) {
            edges.push_back({program.allocations()[plan.allocations()[e.freed].number].freed_by,
                             program.allocations()[plan.allocations()[e.allocated].number].made_by});
        }
        collect(edges);
        for (const std::uint32_t v : running_order(nodes_, edges)) {
            order_.push_back(v);
            settle(v, program);
        }
        find_last(program, plan);
    }

    [[nodiscard]] role role_of(std::uint32_t n) const noexcept { return roles_[n]; }
    /// What a node that is kept, or an empty node, comes after, and is there before it: each once.
    [[nodiscard]] std::span<const std::uint32_t> dependencies_of(std::uint32_t n) const noexcept {
        return {lists_.data() + begin_[n], lists_.data() + late_begin_[n]};
    }
    /// The same for what is not there when the node is added: the edges that lead back.
    [[nodiscard]] std::span<const std::uint32_t> late_dependencies_of(std::uint32_t n) const noexcept {
        return {lists_.data() + late_begin_[n], lists_.data() + end_[n]};
    }
    [[nodiscard]] bool any_late() const noexcept { return any_late_; }
    /// What the free of an arena comes after.
    [[nodiscard]] std::span<const std::uint32_t> last_of(std::uint32_t arena) const noexcept { return last_[arena]; }
    [[nodiscard]] std::uint32_t arena_node(std::uint32_t arena) const noexcept { return nodes_ + arena; }

private:
    static constexpr std::uint32_t no_arena = 0xFFFFFFFFu;
    static constexpr std::size_t few = 16;

    void collect(std::span<const model::order_edge> edges) {
        first_.assign(std::size_t{nodes_} + 1, 0);
        dependents_.assign(nodes_, 0);
        before_.resize(edges.size());
        for (const model::order_edge& e : edges) {
            ++first_[e.after + 1];
            ++dependents_[e.before];
        }
        leads_to_vanished_.assign(nodes_, 0);
        for (const model::order_edge& e : edges) {
            if (roles_[e.after] != role::kept) {
                leads_to_vanished_[e.before] = 1;
            }
        }
        for (std::uint32_t i = 0; i < nodes_; ++i) {
            first_[i + 1] += first_[i];
        }
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (const model::order_edge& e : edges) {
            before_[next[e.after]++] = e.before;
        }
        begin_.assign(nodes_, 0);
        late_begin_.assign(nodes_, 0);
        end_.assign(nodes_, 0);
        behind_.assign(std::size_t{nodes_} + arenas_, 0);
        for (std::uint32_t k = 0; k < arenas_; ++k) {
            behind_[arena_node(k)] = std::uint64_t{1} << k;
        }
        mark_.assign(std::size_t{nodes_} + arenas_, 0);
        lists_.reserve(edges.size() + nodes_ / 4);
    }

    /// Adds what stands for a node to the list that is being made.
    void add(std::uint32_t n) {
        if (n < nodes_ && roles_[n] == role::vanished) {
            for (std::uint32_t i = begin_[n]; i < end_[n]; ++i) {
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

    void settle(std::uint32_t v, const program_record& program) {
        ++round_;
        list_.clear();
        for (std::uint32_t i = first_[v]; i < first_[v + 1]; ++i) {
            add(before_[i]);
        }
        std::uint64_t behind = 0;
        for (const std::uint32_t n : list_) {
            behind |= earlier(n, v) && n < nodes_ ? behind_[n] : 0;
        }
        if (roles_[v] == role::vanished && program.model().kind_of(v) == node_kind::alloc && (behind >> arena_of_[v] & 1) == 0) {
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
        const auto late = std::stable_partition(list_.begin(), list_.end(), [&](std::uint32_t n) { return earlier(n, v); });
        begin_[v] = static_cast<std::uint32_t>(lists_.size());
        late_begin_[v] = begin_[v] + static_cast<std::uint32_t>(late - list_.begin());
        lists_.insert(lists_.end(), list_.begin(), list_.end());
        end_[v] = static_cast<std::uint32_t>(lists_.size());
        any_late_ = any_late_ || (late != list_.end() && roles_[v] != role::vanished);
    }

    /// Drops what another of the list comes after, where that is cheap to see: an arena's allocation that the list
    /// leads to, and what stands directly before another. Only by edges that are there when `v` is added.
    void drop_implied(std::uint32_t v, std::uint64_t behind) {
        if (list_.size() < 2) {
            return;
        }
        for (std::size_t i = 0; i < list_.size(); ++i) {
            const std::uint32_t n = list_[i];
            if (n >= nodes_ || !earlier(n, v) || late_begin_[n] - begin_[n] > few) {
                continue;
            }
            for (std::uint32_t k = begin_[n]; k < late_begin_[n]; ++k) {
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
            for (std::size_t i = order_.size(); i-- > 0;) {
                const std::uint32_t v = order_[i];
                if (leads[v] != 0 && roles_[v] != role::vanished) {
                    for (std::uint32_t e = begin_[v]; e < end_[v]; ++e) {
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
    std::vector<std::uint32_t> arena_of_;
    std::vector<std::uint32_t> first_, before_;  // of each node, what it comes after in the program
    std::vector<std::uint32_t> dependents_;
    std::vector<std::uint8_t> leads_to_vanished_;
    std::vector<std::uint32_t> begin_, late_begin_, end_, lists_;  // of each node, what it comes after now
    std::vector<std::uint64_t> behind_;                            // the arenas whose allocation a node comes after
    std::vector<std::uint32_t> order_;
    std::vector<std::vector<std::uint32_t>> last_;
    bool any_late_ = false;

    std::vector<std::uint32_t> list_;
    std::vector<std::uint32_t> mark_;
    std::uint32_t round_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
