#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <allograph/model/detail/clique_problem.hpp>
#include <allograph/model/detail/problem_parts.hpp>
#include <allograph/model/detail/search_tactics.hpp>
#include <allograph/model/detail/skyline_state.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

enum class search_verdict : std::uint8_t { found, infeasible, stopped };

/// Decides whether all buffers fit under a capacity, by filling memory from the bottom up.
///
/// The search branches on a clique in a valley: either one of the unplaced buffers whose floor is the valley's height
/// lies there, or none does, and then each of those stands on a buffer that is not placed yet. That is complete: among
/// the solutions that lie earliest in the tree, one with the least sum of offsets has every buffer at zero or, but for
/// alignment, on another. The clique with the fewest branches goes first. Parts that no unplaced buffer connects any more are
/// solved one after the other, so that failure in one does not make the search try all solutions of another.
class skyline_search {
public:
    explicit skyline_search(const clique_problem& problem)
        : problem_(&problem), state_(problem), bias_(problem.buffers()), on_level_(problem.buffers(), 0),
          candidates_(problem.cliques(), 0), all_(problem.by_first_clique()), parts_(problem) {
        for (const std::int64_t a : problem.alignment) {
            aligned_ = aligned_ || a != 1;
        }
    }

    /// @param max_steps   branchings after which to give up
    /// @param keep_going  called with the branchings since its last call; false gives up
    template <class KeepGoing>
    search_verdict run(std::int64_t capacity, std::uint64_t max_steps, const search_tactics& tactics, KeepGoing&& keep_going) {
        steps_ = 0;
        reported_ = 0;
        max_steps_ = max_steps;
        stopped_ = false;
        tactics_ = tactics;
        if (!state_.reset(capacity)) {
            return search_verdict::infeasible;
        }
        prefer(*problem_, tactics_, bias_);
        const bool found = solve_parts(all_, keep_going);
        keep_going(steps_ - reported_);
        if (found) {
            return search_verdict::found;
        }
        return stopped_ ? search_verdict::stopped : search_verdict::infeasible;
    }

    /// Of the solution, in units, after a run that found one.
    [[nodiscard]] const std::vector<std::int64_t>& offsets() const noexcept { return state_.floors(); }

private:
    template <class KeepGoing>
    bool solve_parts(const std::vector<std::uint32_t>& buffers, KeepGoing& keep_going) {
        for (const problem_parts::part& p : parts_.split(buffers, state_)) {
            if (!solve_part(p, keep_going)) {
                return false;
            }
        }
        return true;
    }

    /// A buffer that conflicts with all others of its part may as well lie on top: taking it out of a solution and
    /// letting what was above it sink by its size is a solution. It is set aside, which may split the rest further.
    template <class KeepGoing>
    bool solve_part(const problem_parts::part& p, KeepGoing& keep_going) {
        if (p.buffers.size() == 1) {
            return state_.place(p.buffers.front());
        }
        std::vector<std::uint32_t> on_top;
        if (!aligned_) {
            for (const std::uint32_t b : p.buffers) {
                if (problem_->cliques_of(b).size() == p.cliques) {
                    on_top.push_back(b);
                }
            }
        }
        if (on_top.empty()) {
            return branch(p.buffers, keep_going);
        }
        for (const std::uint32_t b : on_top) {
            state_.set_aside(b);
        }
        // What remains may have lost its lowest buffer.
        for (const std::uint32_t b : on_top) {
            state_.recheck_cliques_of(b);
        }
        if (!state_.settle() || !solve_parts(unplaced(p.buffers), keep_going)) {
            return false;
        }
        for (const std::uint32_t b : on_top) {
            state_.place_on_top(b);
        }
        return true;
    }

    [[nodiscard]] std::vector<std::uint32_t> unplaced(const std::vector<std::uint32_t>& buffers) const {
        std::vector<std::uint32_t> rest;
        rest.reserve(buffers.size());
        for (const std::uint32_t b : buffers) {
            if (!state_.placed(b)) {
                rest.push_back(b);
            }
        }
        return rest;
    }

    /// Tries the candidates of a valley in turn; when none may lie there, lifts them and looks for the next valley.
    template <class KeepGoing>
    bool branch(const std::vector<std::uint32_t>& buffers, KeepGoing& keep_going) {
        const std::size_t start = state_.mark();
        while (true) {
            if (++steps_ > max_steps_ || (steps_ % 64 == 0 && !report(keep_going))) {
                stopped_ = true;
                break;
            }
            const std::uint32_t valley = choose_valley(buffers);
            const std::vector<choice> choices = candidates_of(valley);
            if (try_candidates(choices, buffers, keep_going)) {
                return true;
            }
            if (stopped_ || state_.slack(valley) == 0 || !lift(choices)) {
                break;
            }
        }
        state_.undo_to(start);
        return false;
    }

    struct choice {
        double bias;
        std::uint32_t buffer;
    };

    [[nodiscard]] std::vector<choice> candidates_of(std::uint32_t valley) const {
        std::vector<choice> choices;
        for (const std::uint32_t b : state_.unplaced_of(valley)) {
            if (state_.floor(b) == state_.height(valley)) {
                choices.push_back({bias_[b], b});
            }
        }
        std::sort(choices.begin(), choices.end(),
                  [](const choice& a, const choice& b) { return a.bias != b.bias ? a.bias > b.bias : a.buffer < b.buffer; });
        return choices;
    }

    template <class KeepGoing>
    bool try_candidates(const std::vector<choice>& choices, const std::vector<std::uint32_t>& buffers, KeepGoing& keep_going) {
        const std::size_t mark = state_.mark();
        for (std::size_t i = 0; i < choices.size() && !stopped_; ++i) {
            if (like_an_earlier(choices, i)) {
                continue;
            }
            if (state_.place(choices[i].buffer) && solve_parts(unplaced(buffers), keep_going)) {
                return true;
            }
            state_.undo_to(mark);
        }
        return false;
    }

    bool lift(const std::vector<choice>& choices) {
        for (const choice& c : choices) {
            if (!state_.lift(c.buffer)) {
                state_.forget_queue();
                return false;
            }
        }
        return state_.settle();
    }

    template <class KeepGoing>
    bool report(KeepGoing& keep_going) {
        const std::uint64_t news = steps_ - reported_;
        reported_ = steps_;
        return keep_going(news);
    }

    /// Buffers of the same size, alignment and cliques can be exchanged: one of them is enough.
    [[nodiscard]] bool like_an_earlier(const std::vector<choice>& choices, std::size_t i) const {
        for (std::size_t k = 0; k < i; ++k) {
            if (problem_->same(choices[k].buffer, choices[i].buffer)) {
                return true;
            }
        }
        return false;
    }

    /// A clique fit to branch on: each of its candidates rests on level ground, so that nothing can go below it later.
    /// The lowest clique always is.
    [[nodiscard]] std::uint32_t choose_valley(const std::vector<std::uint32_t>& buffers) {
        touched_.clear();
        for (const std::uint32_t b : buffers) {
            const auto own = problem_->cliques_of(b);
            const std::int64_t floor = state_.floor(b);
            const bool level = std::all_of(own.begin(), own.end(), [&](std::uint32_t c) { return state_.height(c) == floor; });
            on_level_[b] = level ? 1 : 0;
            for (const std::uint32_t c : own) {
                if (!level) {
                    break;
                }
                if (candidates_[c]++ == 0) {
                    touched_.push_back(c);
                }
            }
        }
        std::uint32_t best = 0;
        double best_score = 0;
        bool any = false;
        for (const std::uint32_t c : touched_) {
            const double score = score_of(c, candidates_[c]);
            candidates_[c] = 0;
            if ((!any || score < best_score) && is_fit(c)) {
                any = true;
                best_score = score;
                best = c;
            }
        }
        return best;
    }

    [[nodiscard]] bool is_fit(std::uint32_t c) const {
        const auto members = state_.unplaced_of(c);
        return std::all_of(members.begin(), members.end(),
                           [&](std::uint32_t b) { return state_.floor(b) != state_.height(c) || on_level_[b] != 0; });
    }

    [[nodiscard]] double score_of(std::uint32_t c, std::uint32_t candidates) const {
        const double branches = static_cast<double>(candidates) + (state_.slack(c) > 0 ? 0.9 : 0.0);
        switch (tactics_.in) {
        case search_tactics::valley::failing:
            return branches / static_cast<double>(state_.failures(c));
        case search_tactics::valley::tightest:
            return branches + 1e-12 * static_cast<double>(state_.slack(c));
        case search_tactics::valley::strictly_lowest:
            return static_cast<double>(state_.height(c)) + 1e-3 * branches;
        case search_tactics::valley::lowest:
            break;
        }
        return branches + 1e-12 * static_cast<double>(state_.height(c));
    }

    const clique_problem* problem_;
    skyline_state state_;
    std::vector<double> bias_;
    std::vector<std::uint8_t> on_level_;
    std::vector<std::uint32_t> candidates_, touched_;
    std::vector<std::uint32_t> all_;
    problem_parts parts_;
    search_tactics tactics_;
    std::uint64_t steps_ = 0, reported_ = 0, max_steps_ = 0;
    bool stopped_ = false, aligned_ = false;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
