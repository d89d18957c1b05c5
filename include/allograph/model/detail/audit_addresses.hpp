#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Allocations by address. Those whose bytes overlap, directly or through others, are kept together: a graph may use one
/// address thousands of times (rule A12), and whoever asks looks at them from the latest on.
class audit_addresses {
public:
    struct range {
        std::uint64_t begin;
        std::uint64_t end;
        [[nodiscard]] bool holds(std::uint64_t address) const noexcept { return begin <= address && address < end; }
        [[nodiscard]] bool overlaps(const range& other) const noexcept { return begin < other.end && other.begin < end; }
    };

    /// @param ranges  of the allocations, in an order that keeps the graph's
    explicit audit_addresses(std::vector<range> ranges)
        : ranges_(static_cast<std::vector<range>&&>(ranges)), members_(ranges_.size()), group_of_(ranges_.size()) {
        for (std::uint32_t a = 0; a < members_.size(); ++a) {
            members_[a] = a;
        }
        std::sort(members_.begin(), members_.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return ranges_[a].begin < ranges_[b].begin; });
        for (std::uint32_t i = 0; i < members_.size(); ++i) {
            const range& r = ranges_[members_[i]];
            if (groups_.empty() || groups_.back().whole.end <= r.begin) {
                groups_.push_back({r, i, i});
            }
            groups_.back().whole.end = std::max(groups_.back().whole.end, r.end);
            groups_.back().last = i + 1;
            group_of_[members_[i]] = static_cast<std::uint32_t>(groups_.size() - 1);
        }
        for (const group& g : groups_) {
            std::sort(members_.begin() + g.first, members_.begin() + g.last);
        }
    }

    [[nodiscard]] const range& of(std::uint32_t allocation) const noexcept { return ranges_[allocation]; }

    /// The allocations that may hold an address, ascending; empty where none does.
    [[nodiscard]] std::span<const std::uint32_t> around(std::uint64_t address) const noexcept {
        const auto behind = std::upper_bound(groups_.begin(), groups_.end(), address,
                                             [](std::uint64_t a, const group& g) { return a < g.whole.begin; });
        return behind == groups_.begin() || !(behind - 1)->whole.holds(address) ? std::span<const std::uint32_t>()
                                                                                : members_of(*(behind - 1));
    }
    /// The allocations that may overlap one, itself included, ascending.
    [[nodiscard]] std::span<const std::uint32_t> beside(std::uint32_t allocation) const noexcept {
        return members_of(groups_[group_of_[allocation]]);
    }

private:
    struct group {
        range whole;
        std::uint32_t first;  // among the members
        std::uint32_t last;
    };
    [[nodiscard]] std::span<const std::uint32_t> members_of(const group& g) const noexcept {
        return {members_.data() + g.first, members_.data() + g.last};
    }

    std::vector<range> ranges_;
    std::vector<std::uint32_t> members_;  // group after group
    std::vector<std::uint32_t> group_of_;
    std::vector<group> groups_;  // by address
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
