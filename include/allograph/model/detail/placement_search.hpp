#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <allograph/model/detail/clique_cover.hpp>
#include <allograph/model/detail/conflict_matrix.hpp>
#include <allograph/model/detail/gap_fit.hpp>
#include <allograph/model/detail/random.hpp>
#include <allograph/model/detail/skyline_search.hpp>
#include <allograph/model/first_fit.hpp>
#include <allograph/model/placement.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// Improves a placement until it is proven optimal or the caller has enough.
///
/// It asks the exact search for one capacity after another, in short runs with different tactics: in turn the lower
/// bound, since a tight capacity prunes most, and something between the bound and the best so far, since the bound may
/// be out of reach. A capacity that fails often gives way to an easier one. Runs grow (Luby's sequence), so
/// that a small problem is searched to the end. In between, orders of the simple heuristic are disturbed.
template <class KeepGoing>
class placement_search {
public:
    /// @param keep_going  called with the steps done since its last call; false ends the search
    placement_search(const placement_problem& problem, placement& best, const std::vector<std::uint32_t>& heaviest,
                     std::uint64_t seed, KeepGoing& keep_going)
        : problem_(&problem), best_(&best), conflicts_(problem), fit_(problem, conflicts_), random_(seed),
          keep_going_(&keep_going), heaviest_(&heaviest) {}

    void run() {
        order_ = by_offset(*problem_, best_->offsets);
        order_bytes_ = best_->bytes;
        cover_ = cover_with_cliques(*problem_, conflicts_, *heaviest_, true);
        if (!cover_.complete) {
            while (!done() && disturb(16)) {
            }
            return;
        }
        if (search_capacities() && !done() && cover_.loss != 0) {
            // Optimal but for what rounding hides behind the topmost buffer: now to the byte.
            cover_ = cover_with_cliques(*problem_, conflicts_, *heaviest_, false);
            search_capacities();
        }
    }

private:
    static constexpr std::uint64_t shortest = 1000;  // branchings of a run

    [[nodiscard]] bool done() const noexcept { return best_->bytes <= best_->lower_bound; }

    [[nodiscard]] std::int64_t units_up(std::uint64_t bytes) const noexcept {
        return static_cast<std::int64_t>(bytes / cover_.unit + (bytes % cover_.unit != 0 ? 1 : 0));
    }

    /// @return false if the caller ended it
    bool search_capacities() {
        skyline_search search(cover_.cliques);
        low_ = std::max(cover_.cliques.heaviest(), units_up(best_->lower_bound));
        for (std::uint32_t i = 0; !done() && low_ < units_up(best_->bytes); ++i) {
            if (!climb(search, units_up(best_->bytes), i)) {
                return false;
            }
            if (!done() && low_ < units_up(best_->bytes) && !slice(search, low_, i)) {
                return false;
            }
            if (!done() && i % 4 == 3 && !disturb(16)) {
                return false;
            }
        }
        return true;
    }

    /// Searches between the bound and the best; the more failures since the last success, the nearer to the best.
    bool climb(skyline_search& search, std::int64_t high, std::uint32_t i) {
        const std::uint32_t ease = std::min<std::uint32_t>(failures_ / 4 + 1, 62);
        const std::int64_t target = high - 1 - ((high - 1 - low_) >> ease);
        if (target <= low_) {
            return true;
        }
        const std::uint64_t before = best_->bytes;
        const bool go_on = slice(search, target, i);
        failures_ = best_->bytes < before ? 0 : failures_ + 1;
        // Once even the easiest target fails, the ladder starts again with longer runs.
        failures_ = ease == 62 || ((high - 1 - low_) >> ease) == 0 ? 0 : failures_;
        return go_on;
    }

    /// One run. @return false to end the search
    bool slice(skyline_search& search, std::int64_t capacity, std::uint32_t i) {
        const search_tactics tactics = i < 16 ? search_tactics::plain(i) : search_tactics::random(random_);
        const std::uint64_t most = shortest * (i < 16 ? 1 : luby(i - 15));
        bool go_on = true;
        const auto keep_going = [&](std::uint64_t steps) { return go_on = report(steps) && go_on; };
        const search_verdict verdict = search.run(capacity, most, tactics, keep_going);
        if (verdict == search_verdict::found) {
            std::vector<std::uint64_t> offsets(problem_->size(), 0);
            for (std::size_t b = 0; b < cover_.buffer.size(); ++b) {
                offsets[cover_.buffer[b]] = static_cast<std::uint64_t>(search.offsets()[b]) * cover_.unit;
            }
            accept(std::move(offsets));
        } else if (verdict == search_verdict::infeasible) {
            low_ = std::max(low_, capacity + 1);
            const std::uint64_t proven = static_cast<std::uint64_t>(low_) * cover_.unit - cover_.loss;
            best_->lower_bound = std::max(best_->lower_bound, std::min(proven, best_->bytes));
        }
        return report(0) && go_on;
    }

    bool report(std::uint64_t steps) {
        best_->statistics.steps += steps;
        return (*keep_going_)(steps);
    }

    void accept(std::vector<std::uint64_t> offsets) {
        if (keep_better(*problem_, *best_, std::move(offsets))) {
            ++best_->statistics.improvements;
        }
    }

    /// Moves a few buffers of the best order to other places and keeps the change if it is no worse.
    bool disturb(std::uint32_t times) {
        for (std::uint32_t t = 0; t < times && !done() && order_.size() > 1; ++t) {
            std::vector<std::uint32_t> order = order_;
            for (std::uint64_t k = 1 + random_.below(3); k > 0; --k) {
                const auto from = static_cast<std::ptrdiff_t>(random_.below(order.size()));
                const auto to = static_cast<std::ptrdiff_t>(random_.below(order.size()));
                if (from < to) {
                    std::rotate(order.begin() + from, order.begin() + from + 1, order.begin() + to + 1);
                } else {
                    std::rotate(order.begin() + to, order.begin() + from, order.begin() + from + 1);
                }
            }
            const std::uint64_t bytes = fit_.run(order, order_bytes_ + 1);
            if (bytes <= order_bytes_) {
                order_ = std::move(order);
                order_bytes_ = bytes;
                if (bytes < best_->bytes) {
                    accept(fit_.offsets());
                }
            }
            if (!report(1)) {
                return false;
            }
        }
        return true;
    }

    static std::uint64_t luby(std::uint64_t i) {
        while (true) {
            std::uint64_t power = 1;
            while (2 * power <= i) {
                power *= 2;
            }
            if (2 * power - 1 == i) {
                return power;
            }
            i -= power - 1;
        }
    }

    const placement_problem* problem_;
    placement* best_;
    conflict_matrix conflicts_;
    gap_fit fit_;
    clique_cover cover_;
    random_source random_;
    KeepGoing* keep_going_;
    const std::vector<std::uint32_t>* heaviest_;
    std::vector<std::uint32_t> order_;
    std::uint64_t order_bytes_ = 0;
    std::int64_t low_ = 0;
    std::uint32_t failures_ = 0;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
