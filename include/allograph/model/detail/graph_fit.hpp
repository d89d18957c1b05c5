#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <allograph/model/detail/buffer_orders.hpp>
#include <allograph/model/detail/occupants.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// Places the buffers of a graph in an order that it may run in: each in a run of bytes whose last users are all ordered
/// before it. Of any size: it looks at so many stretches from the bottom, then at so many more from where the last such
/// look ended, and past that a buffer goes to the end.
class graph_fit {
public:
    graph_fit(const placement_problem& problem, bool tightest) : problem_(&problem), tightest_(tightest) {
        constexpr std::size_t all_looks = std::size_t{1} << 28U;
        const std::vector<std::uint32_t> order = by_allocation(problem);
        const std::size_t looks = std::max<std::size_t>(8192, all_looks / std::max<std::size_t>(1, order.size()));
        offsets_.assign(problem.size(), 0);
        for (const std::uint32_t b : order) {
            place(b, looks / 2);
        }
    }

    [[nodiscard]] const std::vector<std::uint64_t>& offsets() const noexcept { return offsets_; }

private:
    static constexpr std::uint64_t nowhere = UINT64_MAX;

    void place(std::uint32_t b, std::size_t looks) {
        const std::size_t count = last_.stretches().size();
        best_ = nowhere;
        look(b, 0, std::min(looks, count));
        if (best_ == nowhere && looks < count) {
            cursor_ = cursor_ < looks || cursor_ >= count ? looks : cursor_;
            const std::size_t end = std::min(cursor_ + looks, count);
            look(b, cursor_, end);
            cursor_ = end;
        }
        if (best_ == nowhere) {
            best_ = problem_->align_up(b, free_tail(b));
        }
        offsets_[b] = best_;
        last_.take(best_, best_ + problem_->size_of(b), b);
    }

    [[nodiscard]] bool usable(std::uint32_t b, const occupants::stretch& s) const {
        return s.owner == occupants::nobody || problem_->ordered(s.owner, b);
    }

    /// Looks at the stretches [from, end) for the first run that is large enough, or the tightest.
    void look(std::uint32_t b, std::size_t from, std::size_t end) {
        const auto& stretches = last_.stretches();
        const std::uint64_t size = problem_->size_of(b);
        std::uint64_t best_rest = nowhere;
        for (std::size_t i = from; i < end; ++i) {
            if (!usable(b, stretches[i])) {
                continue;
            }
            const std::uint64_t at = problem_->align_up(b, stretches[i].begin);
            std::size_t k = i;
            while (k + 1 < end && (tightest_ || stretches[k].end < at + size) && usable(b, stretches[k + 1])) {
                ++k;
            }
            const std::uint64_t until = stretches[k].end;
            if (at + size <= until && until - at - size < best_rest) {
                best_ = at;
                best_rest = until - at - size;
                if (!tightest_) {
                    return;
                }
            }
            i = k;
        }
    }

    /// Where the stretches at the end that b may use begin.
    [[nodiscard]] std::uint64_t free_tail(std::uint32_t b) const {
        const auto& stretches = last_.stretches();
        std::size_t i = stretches.size();
        while (i > 0 && usable(b, stretches[i - 1])) {
            --i;
        }
        return i == stretches.size() ? last_.end() : stretches[i].begin;
    }

    const placement_problem* problem_;
    bool tightest_;
    std::vector<std::uint64_t> offsets_;
    occupants last_;
    std::uint64_t best_ = nowhere;
    std::size_t cursor_ = 0;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
