#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace detail {

/// What an allocation is at one node of its graph.
enum class lifetime : std::uint8_t {
    pending,  ///< the node is not ordered after the allocation
    freed,    ///< the node is ordered after its free
    live
};

/// Finds the allocation behind an address. Addresses are used again by allocations ordered after a free (rule A12), so
/// the order of the graph decides between those that lie there.
class address_map {
public:
    static constexpr std::uint32_t nobody = 0xFFFFFFFFu;

    /// @param allocation  any number but `nobody`; a higher one is a later allocation
    void add(std::uint64_t address, std::uint64_t bytes, std::uint32_t allocation) {
        sorted_ = sorted_ && (entries_.empty() || entries_.back().begin <= address);
        const std::uint64_t end = address + bytes;
        entries_.push_back({address, end, entries_.empty() ? end : std::max(end, entries_.back().furthest), allocation});
    }

    /// The allocation whose bytes hold an address at a node: of those that are live there the latest; else of those
    /// that are freed, which the node would use after its free; else of those it is not ordered after; else `nobody`.
    /// @param lifetime_of  called with the number of an allocation, where there is more than one to choose from
    template <class LifetimeOf>
    [[nodiscard]] std::uint32_t find(std::uint64_t address, LifetimeOf&& lifetime_of) {
        sort();
        candidates_.clear();
        auto at = std::upper_bound(entries_.begin(), entries_.end(), address,
                                   [](std::uint64_t a, const entry& e) { return a < e.begin; });
        while (at != entries_.begin() && (--at)->furthest > address) {
            if (at->end > address) {
                candidates_.push_back(at->allocation);
            }
        }
        if (candidates_.size() < 2) {
            return candidates_.empty() ? nobody : candidates_.front();
        }
        std::uint32_t best = nobody;
        lifetime state = lifetime::pending;
        for (const std::uint32_t each : candidates_) {
            if (best != nobody && each < best && state != lifetime::pending) {
                continue;  // it was freed for the later one
            }
            const lifetime there = lifetime_of(each);
            if (best == nobody || there > state || (there == state && each > best)) {
                best = each;
                state = there;
            }
        }
        return best;
    }

private:
    struct entry {
        std::uint64_t begin;
        std::uint64_t end;
        std::uint64_t furthest;  // the highest end up to here
        std::uint32_t allocation;
    };
    void sort() {
        if (sorted_) {
            return;
        }
        std::sort(entries_.begin(), entries_.end(), [](const entry& a, const entry& b) { return a.begin < b.begin; });
        std::uint64_t furthest = 0;
        for (entry& each : entries_) {
            each.furthest = furthest = std::max(furthest, each.end);
        }
        sorted_ = true;
    }

    std::vector<entry> entries_;
    std::vector<std::uint32_t> candidates_;
    bool sorted_ = true;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
