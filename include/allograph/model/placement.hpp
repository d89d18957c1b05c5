#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <allograph/model/detail/buffer_orders.hpp>
#include <allograph/model/detail/occupants.hpp>
#include <allograph/model/detail/sections.hpp>
#include <allograph/model/detail/skyline_tree.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model {

/// How a placement came about.
struct placement_statistics {
    std::uint64_t instant_bytes = 0;  ///< what the heuristics alone took
    std::uint64_t steps = 0;          ///< branchings and orders tried by the search
    std::uint32_t improvements = 0;   ///< smaller placements that the search found
    bool bound_is_exact = true;       ///< the bound is the heaviest set of buffers that may live together, or more
};

/// A place for every buffer of a problem.
struct placement {
    std::vector<std::uint64_t> offsets;  ///< of each buffer, in bytes from the start of the arena
    std::uint64_t bytes = 0;             ///< what the arena needs: the greatest offset plus size
    std::uint64_t alignment = 1;         ///< what the arena's start needs: the greatest alignment
    std::uint64_t lower_bound = 0;       ///< no placement takes fewer bytes
    bool optimal = false;                ///< proven: no placement takes fewer bytes than this one
    placement_statistics statistics;     ///< how it came about
};

/// The bytes that offsets take.
[[nodiscard]] inline std::uint64_t extent(const placement_problem& problem, const std::vector<std::uint64_t>& offsets) {
    std::uint64_t bytes = 0;
    for (std::size_t b = 0; b < offsets.size(); ++b) {
        if (problem.size_of(b) != 0) {
            bytes = std::max(bytes, offsets[b] + problem.size_of(b));
        }
    }
    return bytes;
}

namespace detail {

/// From the bottom up, each buffer must lie above all earlier ones that live with it.
inline bool disjoint_on_line(const placement_problem& problem, const std::vector<std::uint64_t>& offsets) {
    const sections line(problem.lifetimes());
    skyline_tree tops(line.count);
    for (const std::uint32_t b : by_offset(problem, offsets)) {
        if (tops.highest(line.first[b], line.end[b]) > offsets[b]) {
            return false;
        }
        tops.raise(line.first[b], line.end[b], offsets[b] + problem.size_of(b));
    }
    return true;
}

/// In the program's order, each buffer must come after the last user of each of its bytes.
inline bool disjoint_in_graph(const placement_problem& problem, const std::vector<std::uint64_t>& offsets) {
    occupants last;
    for (const std::uint32_t b : by_allocation(problem)) {
        if (problem.size_of(b) == 0) {
            continue;
        }
        const std::uint64_t end = offsets[b] + problem.size_of(b);
        const auto& stretches = last.stretches();
        for (std::size_t i = last.find(offsets[b]); i < stretches.size() && stretches[i].begin < end; ++i) {
            if (stretches[i].owner != occupants::nobody && !problem.ordered(stretches[i].owner, b)) {
                return false;
            }
        }
        last.take(offsets[b], end, b);
    }
    return true;
}

}  // namespace detail

/// Checks a placement by the problem alone: offsets are aligned, buffers that conflict share no byte, and the bytes are
/// what the offsets take.
[[nodiscard]] inline bool is_valid(const placement_problem& problem, const placement& placed) {
    if (placed.offsets.size() != problem.size() || extent(problem, placed.offsets) != placed.bytes) {
        return false;
    }
    for (std::size_t b = 0; b < problem.size(); ++b) {
        if (placed.offsets[b] % problem.alignment_of(b) != 0) {
            return false;
        }
        if (placed.offsets[b] > UINT64_MAX - problem.size_of(b)) {
            return false;
        }
    }
    return problem.is_line() ? detail::disjoint_on_line(problem, placed.offsets)
                             : detail::disjoint_in_graph(problem, placed.offsets);
}

}  // namespace model
}  // namespace v0
}  // namespace allograph
