#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <allograph/model/detail/order_index.hpp>

namespace allograph {
inline namespace v0 {
namespace model {

/// When a buffer lives on a line: from `lower` up to, not including, `upper`.
struct lifetime {
    std::uint64_t lower;  ///< the first step
    std::uint64_t upper;  ///< the step after the last
    friend constexpr bool operator==(const lifetime&, const lifetime&) noexcept = default;
};

namespace detail {

struct node_pair {
    std::uint32_t alloc_node;
    std::uint32_t free_node;
};

/// If "freed before the other is allocated" is an interval order, gives each buffer an interval that shows it. That is
/// so exactly when, of any two allocations, the frees before the one are among the frees before the other.
/// @return whether it is; false also if the index is not exact
inline bool find_intervals(const order_index& order, std::span<const node_pair> buffers, std::vector<lifetime>& lifetimes) {
    if (!order.exact()) {
        return false;
    }
    std::vector<std::vector<std::uint32_t>> chain_nodes(order.chains());
    for (const std::uint32_t v : order.topological()) {
        chain_nodes[order.chain_of(v)].push_back(v);
    }
    // frees[k][i]: how many buffers the first i nodes of chain k free.
    std::vector<std::vector<std::uint32_t>> frees(order.chains());
    for (std::uint32_t k = 0; k < order.chains(); ++k) {
        frees[k].assign(chain_nodes[k].size() + 1, 0);
    }
    std::vector<std::uint32_t> allocs;
    allocs.reserve(buffers.size());
    for (const node_pair& b : buffers) {
        ++frees[order.chain_of(b.free_node)][order.rank_of(b.free_node) + 1];
        allocs.push_back(b.alloc_node);
    }
    for (auto& f : frees) {
        for (std::size_t i = 1; i < f.size(); ++i) {
            f[i] += f[i - 1];
        }
    }
    std::sort(allocs.begin(), allocs.end());
    allocs.erase(std::unique(allocs.begin(), allocs.end()), allocs.end());
    std::vector<std::uint64_t> frees_before(order.nodes(), 0);
    for (const std::uint32_t v : allocs) {
        for (std::uint32_t k = 0; k < order.chains(); ++k) {
            frees_before[v] += frees[k][order.reach(v, k)];
        }
    }
    std::sort(allocs.begin(), allocs.end(), [&](std::uint32_t a, std::uint32_t b) {
        return frees_before[a] != frees_before[b] ? frees_before[a] < frees_before[b] : a < b;
    });
    // In ascending order each allocation must see, chain by chain, all that the one before it saw. The first to see a
    // free is where the buffer's interval ends.
    std::vector<std::uint64_t> lower(order.nodes(), 0);
    std::vector<std::uint64_t> upper(order.nodes(), UINT64_MAX);
    std::vector<std::uint32_t> covered(order.chains(), 0);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < allocs.size(); ++i) {
        const std::uint32_t v = allocs[i];
        if (i != 0 && frees_before[v] != frees_before[allocs[i - 1]]) {
            ++number;
        }
        lower[v] = number;
        for (std::uint32_t k = 0; k < order.chains(); ++k) {
            const std::uint32_t reach = order.reach(v, k);
            if (frees[k][reach] < frees[k][covered[k]]) {
                return false;
            }
            for (; covered[k] < reach; ++covered[k]) {
                upper[chain_nodes[k][covered[k]]] = number;
            }
        }
    }
    lifetimes.clear();
    lifetimes.reserve(buffers.size());
    for (const node_pair& b : buffers) {
        lifetimes.push_back({lower[b.alloc_node], std::min(upper[b.free_node], number + 1)});
    }
    return true;
}

/// True where every node comes directly after the one before it and no edge leads back, as their order shows: the
/// numbers are the one order that the nodes can run in. Says no early and at once for most other graphs.
inline bool is_one_line(std::uint32_t nodes, std::span<const order_edge> edges) noexcept {
    if (edges.size() + 1 < nodes || edges.size() >= UINT32_MAX) {
        return false;
    }
    std::uint32_t reached = 0;
    for (const order_edge& e : edges) {
        if (e.before >= e.after || e.after > reached + 1 || e.after >= nodes) {
            return false;
        }
        reached += e.after == reached + 1 && e.before == reached ? 1 : 0;
    }
    return reached + 1 == nodes;
}

/// The same intervals as of `find_intervals` for one line of nodes, where each buffer's nodes ascend or are one.
inline void intervals_of_line(std::uint32_t nodes, std::span<const node_pair> buffers, std::vector<lifetime>& lifetimes) {
    constexpr std::uint8_t allocates = 1;
    constexpr std::uint8_t frees = 2;
    std::vector<std::uint8_t> does(nodes, 0);
    for (const node_pair& b : buffers) {
        does[b.alloc_node] |= allocates;
        does[b.free_node] |= frees;
    }
    std::vector<std::uint32_t> number_at(nodes);
    std::uint32_t number = 0;
    std::uint32_t freed = 0;  // since the last allocation
    for (std::uint32_t v = 0; v < nodes; ++v) {
        if ((does[v] & allocates) != 0) {
            number += freed;
            freed = 0;
        }
        number_at[v] = number;
        freed |= (does[v] & frees) != 0 ? 1 : 0;
    }
    lifetimes.clear();
    lifetimes.reserve(buffers.size());
    for (const node_pair& b : buffers) {
        lifetimes.push_back({number_at[b.alloc_node], number_at[b.free_node] + std::uint64_t{1}});
    }
}

}  // namespace detail
}  // namespace model
}  // namespace v0
}  // namespace allograph
