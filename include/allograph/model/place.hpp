#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <allograph/model/detail/placement_search.hpp>
#include <allograph/model/first_fit.hpp>
#include <allograph/model/lower_bound.hpp>
#include <allograph/model/placement.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model {

/// How long to search. The search ends at the first limit that it reaches, or when nothing better exists.
struct placement_options {
    std::chrono::nanoseconds budget = std::chrono::milliseconds(100);  ///< beyond the heuristics; zero: none
    std::uint64_t max_steps = UINT64_MAX;  ///< the same problem, steps and seed give the same placement, time allowing
    std::uint64_t seed = 1;                ///< of the random tactics
};

/// What a search has so far.
struct placement_progress {
    std::chrono::nanoseconds elapsed;  ///< since the search began
    std::uint64_t steps;               ///< branchings and orders tried
    std::uint64_t best;                ///< bytes of the best placement
    std::uint64_t bound;               ///< bytes that no placement goes under
};

/// Places every buffer: at once by heuristics, then better within the budget.
/// @param progress  `bool(const placement_progress&)`, called at each improvement and now and then in between; false
///                  ends the search
/// @post the placement is valid; `optimal` is set only if proven
template <class Progress>
[[nodiscard]] placement place(const placement_problem& problem, const placement_options& options, Progress&& progress) {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    const memory_bound bound = lower_bound(problem);
    placement best = place_at_once(problem, bound);
    std::uint64_t told = UINT64_MAX;
    clock::time_point when = start;
    // At every improvement, and about a hundred times a second otherwise.
    const auto keep_going = [&](std::uint64_t) {
        const clock::time_point now = clock::now();
        bool go_on = best.statistics.steps < options.max_steps && now - start < options.budget;
        if (best.bytes < told || now - when >= std::chrono::milliseconds(10)) {
            told = best.bytes;
            when = now;
            const placement_progress state{now - start, best.statistics.steps, best.bytes, best.lower_bound};
            go_on = static_cast<bool>(progress(state)) && go_on;
        }
        return go_on;
    };
    if (keep_going(0) && !best.optimal && problem.size() <= detail::conflict_matrix::most_buffers) {
        detail::placement_search search(problem, best, bound.witness, options.seed, keep_going);
        search.run();
        best.optimal = best.bytes <= best.lower_bound;
    }
    return best;
}

[[nodiscard]] inline placement place(const placement_problem& problem, const placement_options& options = {}) {
    return place(problem, options, [](const placement_progress&) { return true; });
}

}  // namespace model
}  // namespace v0
}  // namespace allograph
