#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <allograph/model/detail/interval_order.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// Lifetimes on a line, cut at every lower end: section s begins at the s-th distinct lower end, and what lives there
/// lives together. Buffer b lives in the sections first[b] up to, not including, end[b].
struct sections {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> end;
    std::uint32_t count = 0;

    explicit sections(std::span<const lifetime> lifetimes) {
        std::vector<std::uint64_t> cuts;
        cuts.reserve(lifetimes.size());
        for (const lifetime& l : lifetimes) {
            cuts.push_back(l.lower);
        }
        if (!std::is_sorted(cuts.begin(), cuts.end())) {
            std::sort(cuts.begin(), cuts.end());
        }
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        count = static_cast<std::uint32_t>(cuts.size());
        first.reserve(lifetimes.size());
        end.reserve(lifetimes.size());
        const bool dense = count != 0 && cuts.back() - cuts.front() == count - 1;  // as they are found in graphs
        const auto place_of = [&](std::uint64_t when) {
            if (dense) {
                return when <= cuts.front() ? 0 : static_cast<std::uint32_t>(std::min<std::uint64_t>(when - cuts.front(), count));
            }
            return static_cast<std::uint32_t>(std::lower_bound(cuts.begin(), cuts.end(), when) - cuts.begin());
        };
        for (const lifetime& l : lifetimes) {
            first.push_back(place_of(l.lower));
            end.push_back(place_of(l.upper));
        }
    }

    [[nodiscard]] std::uint32_t length(std::size_t buffer) const noexcept { return end[buffer] - first[buffer]; }
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
