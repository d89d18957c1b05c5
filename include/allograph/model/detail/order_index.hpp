#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace model {

/// `before` is ordered before `after`.
struct order_edge {
    std::uint32_t before;  ///< number of a node
    std::uint32_t after;   ///< number of a node
};

namespace detail {

/// Answers "is u ordered before v" in constant time.
///
/// The nodes are cut into chains; for each node and chain it holds how many nodes of the chain come before the node,
/// which are always the chain's first ones. Where nodes times chains are too many, only the longest chains are held: a
/// node on none of them then counts as before another only if its nearest successor on a held chain does, so that an
/// answer may be a wrong "no" (a missed reuse) and never a wrong "yes".
class order_index {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    order_index() = default;

    /// @param max_entries  nodes times chains to hold, four bytes each
    /// @throws std::invalid_argument if an edge is out of range or the edges have a cycle
    order_index(std::uint32_t nodes, std::span<const order_edge> edges, std::size_t max_entries = std::size_t{1} << 25U) {
        collect(nodes, edges);
        sort(nodes);
        hold_longest(cut_into_chains(), max_entries);
        count_before();
    }

    [[nodiscard]] std::uint32_t nodes() const noexcept { return static_cast<std::uint32_t>(topological_.size()); }
    [[nodiscard]] std::size_t edges() const noexcept { return successors_.size(); }
    /// Every node is on a held chain, so that every answer is right.
    [[nodiscard]] bool exact() const noexcept { return exact_; }
    [[nodiscard]] std::uint32_t chains() const noexcept { return held_; }
    [[nodiscard]] std::uint32_t chain_of(std::uint32_t node) const noexcept { return chain_[node]; }
    [[nodiscard]] std::uint32_t rank_of(std::uint32_t node) const noexcept { return rank_[node]; }
    /// Nodes in an order that keeps every edge, and each node's place in it.
    [[nodiscard]] std::span<const std::uint32_t> topological() const noexcept { return topological_; }
    [[nodiscard]] std::uint32_t position(std::uint32_t node) const noexcept { return position_[node]; }
    [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t node) const noexcept {
        return {successors_.data() + begin_[node], successors_.data() + begin_[node + 1]};
    }
    /// How many nodes of a held chain, from its first, are ordered before the node.
    [[nodiscard]] std::uint32_t reach(std::uint32_t node, std::uint32_t chain) const noexcept {
        return before_[std::size_t{node} * held_ + chain];
    }

    /// A path of at least one edge leads from u to v.
    [[nodiscard]] bool before(std::uint32_t u, std::uint32_t v) const noexcept {
        if (position_[u] >= position_[v]) {
            return false;
        }
        if (chain_[u] < held_) {
            return reach(v, chain_[u]) > rank_[u];
        }
        const std::uint32_t via = via_[u];
        return via != none && (via == v || reach(v, chain_[via]) > rank_[via]);
    }

private:
    void collect(std::uint32_t nodes, std::span<const order_edge> edges) {
        if (edges.size() >= UINT32_MAX) {
            throw std::invalid_argument("placement_problem: too many edges");
        }
        begin_.assign(std::size_t{nodes} + 1, 0);
        for (const order_edge& e : edges) {
            if (e.before >= nodes || e.after >= nodes) {
                throw std::invalid_argument("placement_problem: an edge names a node that does not exist");
            }
            ++begin_[e.before + 1];
        }
        for (std::size_t v = 0; v < nodes; ++v) {
            begin_[v + 1] += begin_[v];
        }
        successors_.resize(edges.size());
        std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
        for (const order_edge& e : edges) {
            successors_[next[e.before]++] = e.after;
        }
    }

    void sort(std::uint32_t nodes) {
        std::vector<std::uint32_t> missing(nodes, 0);
        for (const std::uint32_t v : successors_) {
            ++missing[v];
        }
        topological_.reserve(nodes);
        for (std::uint32_t v = 0; v < nodes; ++v) {
            if (missing[v] == 0) {
                topological_.push_back(v);
            }
        }
        position_.assign(nodes, 0);
        for (std::uint32_t i = 0; i < topological_.size(); ++i) {
            position_[topological_[i]] = i;
            for (const std::uint32_t w : successors(topological_[i])) {
                if (--missing[w] == 0) {
                    topological_.push_back(w);
                }
            }
        }
        if (topological_.size() != nodes) {
            throw std::invalid_argument("placement_problem: the edges have a cycle");
        }
    }

    /// Each node continues the chain of a predecessor that ends one: of several, the one with the fewest other nodes
    /// left to continue it.
    std::uint32_t cut_into_chains() {
        std::vector<std::uint32_t> from(std::size_t{nodes()} + 1, 0);
        for (const std::uint32_t w : successors_) {
            ++from[w + 1];
        }
        for (std::size_t v = 0; v < nodes(); ++v) {
            from[v + 1] += from[v];
        }
        std::vector<std::uint32_t> predecessors(successors_.size());
        std::vector<std::uint32_t> next(from.begin(), from.end() - 1);
        std::vector<std::uint32_t> left(nodes(), 0);
        for (const std::uint32_t v : topological_) {
            left[v] = static_cast<std::uint32_t>(successors(v).size());
            for (const std::uint32_t w : successors(v)) {
                predecessors[next[w]++] = v;
            }
        }
        chain_.assign(nodes(), none);
        rank_.assign(nodes(), 0);
        std::vector<std::uint8_t> continued(nodes(), 0);
        std::uint32_t chains = 0;
        for (const std::uint32_t w : topological_) {
            std::uint32_t best = none;
            for (std::uint32_t i = from[w]; i < from[w + 1]; ++i) {
                const std::uint32_t v = predecessors[i];
                if (continued[v] == 0 && (best == none || left[v] < left[best])) {
                    best = v;
                }
                --left[v];
            }
            if (best == none) {
                chain_[w] = chains++;
            } else {
                continued[best] = 1;
                chain_[w] = chain_[best];
                rank_[w] = rank_[best] + 1;
            }
        }
        return chains;
    }

    void hold_longest(std::uint32_t chains, std::size_t max_entries) {
        const std::size_t fit = nodes() == 0 ? 0 : std::max<std::size_t>(1, max_entries / nodes());
        held_ = static_cast<std::uint32_t>(std::min<std::size_t>(chains, fit));
        exact_ = held_ == chains;
        if (exact_) {
            return;
        }
        std::vector<std::uint32_t> length(chains, 0);
        for (const std::uint32_t c : chain_) {
            ++length[c];
        }
        std::vector<std::uint32_t> order(chains);
        for (std::uint32_t c = 0; c < chains; ++c) {
            order[c] = c;
        }
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return length[a] != length[b] ? length[a] > length[b] : a < b; });
        std::vector<std::uint32_t> name(chains);
        for (std::uint32_t i = 0; i < chains; ++i) {
            name[order[i]] = i;
        }
        for (std::uint32_t& c : chain_) {
            c = name[c];
        }
        // The nearest held node after each node that is not held, found from the end backwards.
        via_.assign(nodes(), none);
        for (std::size_t i = nodes(); i-- > 0;) {
            const std::uint32_t v = topological_[i];
            if (chain_[v] < held_) {
                via_[v] = v;
                continue;
            }
            for (const std::uint32_t w : successors(v)) {
                const std::uint32_t x = via_[w];
                if (x != none && (via_[v] == none || position_[x] < position_[via_[v]])) {
                    via_[v] = x;
                }
            }
        }
    }

    void count_before() {
        before_.assign(std::size_t{nodes()} * held_, 0);
        for (const std::uint32_t v : topological_) {
            const std::uint32_t* const from = before_.data() + std::size_t{v} * held_;
            for (const std::uint32_t w : successors(v)) {
                std::uint32_t* const to = before_.data() + std::size_t{w} * held_;
                for (std::uint32_t k = 0; k < held_; ++k) {
                    to[k] = to[k] < from[k] ? from[k] : to[k];
                }
                if (chain_[v] < held_ && to[chain_[v]] <= rank_[v]) {
                    to[chain_[v]] = rank_[v] + 1;
                }
            }
        }
    }

    std::vector<std::uint32_t> begin_, successors_;
    std::vector<std::uint32_t> topological_, position_;
    std::vector<std::uint32_t> chain_, rank_;
    std::vector<std::uint32_t> via_;
    std::vector<std::uint32_t> before_;
    std::uint32_t held_ = 0;
    bool exact_ = true;
};

}  // namespace detail
}  // namespace model
}  // namespace v0
}  // namespace allograph
