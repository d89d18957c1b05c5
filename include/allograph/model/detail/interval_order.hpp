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
    std::uint64_t lower;
    std::uint64_t upper;
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

}  // namespace detail
}  // namespace model
}  // namespace v0
}  // namespace allograph
