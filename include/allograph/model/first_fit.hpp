#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <allograph/model/detail/buffer_orders.hpp>
#include <allograph/model/detail/conflict_matrix.hpp>
#include <allograph/model/detail/gap_fit.hpp>
#include <allograph/model/detail/graph_fit.hpp>
#include <allograph/model/detail/line_fit.hpp>
#include <allograph/model/lower_bound.hpp>
#include <allograph/model/placement.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model {
namespace detail {

/// Keeps the offsets if they take fewer bytes than those so far.
inline bool keep_better(const placement_problem& problem, placement& best, std::vector<std::uint64_t> offsets) {
    const std::uint64_t bytes = extent(problem, offsets);
    if (best.offsets.size() == problem.size() && bytes >= best.bytes) {
        return false;
    }
    best.offsets = std::move(offsets);
    best.bytes = bytes;
    return true;
}

/// The orders in which buffers are tried: the hard ones first, by several measures of hard.
inline std::vector<std::vector<std::uint32_t>> hard_first(const placement_problem& problem, const conflict_matrix& conflicts) {
    const auto size = [&](std::uint32_t b) { return static_cast<double>(problem.size_of(b)); };
    const auto degree = [&](std::uint32_t b) { return static_cast<double>(conflicts.degree(b)); };
    std::vector<std::vector<std::uint32_t>> orders;
    orders.push_back(sorted_buffers(problem, [&](std::uint32_t b) { return -size(b); }));
    orders.push_back(sorted_buffers(problem, [&](std::uint32_t b) { return -size(b) * degree(b); }));
    orders.push_back(sorted_buffers(problem, [&](std::uint32_t b) { return -size(b) * size(b) * degree(b); }));
    orders.push_back(sorted_buffers(problem, [&](std::uint32_t b) { return -degree(b); }));
    if (problem.is_line()) {
        const auto lives = problem.lifetimes();
        const auto length = [&](std::uint32_t b) { return static_cast<double>(lives[b].upper - lives[b].lower); };
        orders.push_back(sorted_buffers(problem, [&](std::uint32_t b) { return -length(b); }));
        orders.push_back(sorted_buffers(problem, [&](std::uint32_t b) { return -length(b) * size(b); }));
    }
    orders.push_back(by_allocation(problem));
    return orders;
}

/// In larger graphs looking for the tightest place takes longer than it is worth.
inline constexpr std::size_t most_for_tightest = 32768;

inline void fit_few(const placement_problem& problem, placement& best) {
    const conflict_matrix conflicts(problem);
    gap_fit fit(problem, conflicts);
    for (const auto& order : hard_first(problem, conflicts)) {
        if (best.bytes == best.lower_bound && !best.offsets.empty()) {
            break;
        }
        fit.run(order);
        keep_better(problem, best, fit.offsets());
    }
}

inline void fit_many_on_line(const placement_problem& problem, placement& best) {
    const line_fit fit(problem);
    for (const block_policy policy : {block_policy{1, 0, false}, {0, 1, true}, {0.1, 1, false}}) {
        keep_better(problem, best, fit.by_time(policy));
        if (best.bytes == best.lower_bound || best.bytes - best.lower_bound < best.lower_bound / 64) {
            break;
        }
    }
}

}  // namespace detail

/// A placement at once, by the best of several heuristics; memory grows with the buffers and the edges alone.
/// @param bound  a lower bound of the problem, at which the heuristics stop
[[nodiscard]] inline placement place_at_once(const placement_problem& problem, const memory_bound& bound) {
    placement best;
    best.lower_bound = bound.bytes;
    best.statistics.bound_is_exact = bound.exact;
    for (std::size_t b = 0; b < problem.size(); ++b) {
        best.alignment = problem.alignment_of(b) > best.alignment ? problem.alignment_of(b) : best.alignment;
    }
    if (problem.size() <= detail::conflict_matrix::most_buffers) {
        detail::fit_few(problem, best);
    } else if (problem.is_line()) {
        detail::fit_many_on_line(problem, best);
    } else {
        detail::keep_better(problem, best, detail::graph_fit(problem, false).offsets());
        if (problem.size() <= detail::most_for_tightest) {
            detail::keep_better(problem, best, detail::graph_fit(problem, true).offsets());
        }
    }
    best.optimal = best.bytes == best.lower_bound;
    best.statistics.instant_bytes = best.bytes;
    return best;
}

[[nodiscard]] inline placement place_at_once(const placement_problem& problem) {
    return place_at_once(problem, lower_bound(problem));
}

}  // namespace model
}  // namespace v0
}  // namespace allograph
