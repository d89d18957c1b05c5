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

/// Places the buffers of a graph in an order that it may run in: each in the first stretch of bytes whose last users
/// are all ordered before it. Of any size: past a limit of looks a buffer goes to the end instead.
inline std::vector<std::uint64_t> graph_fit(const placement_problem& problem, bool tightest) {
    constexpr std::uint64_t all_looks = std::uint64_t{1} << 27U;
    const std::vector<std::uint32_t> order = by_allocation(problem);
    const std::uint64_t looks = std::max<std::uint64_t>(64, all_looks / std::max<std::size_t>(1, order.size()));
    std::vector<std::uint64_t> offsets(problem.size(), 0);
    occupants last;
    for (const std::uint32_t b : order) {
        const std::uint64_t size = problem.size_of(b);
        const auto& stretches = last.stretches();
        const std::size_t end = static_cast<std::size_t>(std::min<std::uint64_t>(stretches.size(), looks));
        // A run of free stretches begins at `run`; one that reaches the end of what is in use may grow.
        std::uint64_t run = 0;
        std::uint64_t best = UINT64_MAX;
        std::uint64_t best_rest = UINT64_MAX;
        const auto offer = [&](std::uint64_t until) {
            const std::uint64_t at = problem.align_up(b, run);
            if (at + size <= until && (best == UINT64_MAX || (tightest && until - run - size < best_rest))) {
                best = at;
                best_rest = until - run - size;
            }
        };
        for (std::size_t i = 0; i < end && (tightest || best == UINT64_MAX); ++i) {
            const auto& s = stretches[i];
            if (s.owner != occupants::nobody && !problem.ordered(s.owner, b)) {
                offer(s.begin);
                run = s.end;
            }
        }
        if (end < stretches.size()) {
            offer(stretches[end].begin);
            run = last.end();
        } else {
            offer(last.end());
        }
        if (best == UINT64_MAX) {
            best = problem.align_up(b, run);
        }
        offsets[b] = best;
        last.take(best, best + size, b);
    }
    return offsets;
}

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
