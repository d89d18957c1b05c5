#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <allograph/model/detail/clique_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// A partly filled memory and what follows from it, with undo.
///
/// Every clique has a height, below which nothing more will be placed, and a slack: the capacity, less the height, less
/// the bytes still to place. A buffer's floor is the greatest height among its cliques, aligned. A clique whose lowest
/// floor lies above its height has a hole that nobody can fill: the height rises, and the slack pays for it. Without
/// slack there is no solution from here.
class skyline_state {
public:
    explicit skyline_state(const clique_problem& problem)
        : problem_(&problem), total_(problem.cliques(), 0), failures_(problem.cliques(), 1), members_(problem.members),
          membership_(problem.members.size()), position_(problem.members.size()) {
        std::vector<std::uint32_t> next(problem.buffer_begin.begin(), problem.buffer_begin.end() - 1);
        for (std::uint32_t i = 0; i < members_.size(); ++i) {
            membership_[i] = next[members_[i]]++;
            position_[membership_[i]] = i;
        }
        for (std::uint32_t c = 0; c < problem.cliques(); ++c) {
            for (const std::uint32_t b : problem.members_of(c)) {
                total_[c] += problem.size[b];
            }
        }
    }

    /// Empties the memory. @return false if some clique alone exceeds the capacity
    bool reset(std::int64_t capacity) {
        trail_.clear();
        queue_.clear();
        queued_.assign(problem_->cliques(), 0);
        height_.assign(problem_->cliques(), 0);
        floor_.assign(problem_->buffers(), 0);
        placed_.assign(problem_->buffers(), 0);
        slack_.resize(problem_->cliques());
        count_.resize(problem_->cliques());
        for (std::uint32_t c = 0; c < problem_->cliques(); ++c) {
            slack_[c] = capacity - total_[c];
            count_[c] = static_cast<std::uint32_t>(problem_->members_of(c).size());
            if (slack_[c] < 0) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] std::int64_t height(std::uint32_t c) const noexcept { return height_[c]; }
    [[nodiscard]] std::int64_t slack(std::uint32_t c) const noexcept { return slack_[c]; }
    [[nodiscard]] std::uint64_t failures(std::uint32_t c) const noexcept { return failures_[c]; }
    [[nodiscard]] std::int64_t floor(std::uint32_t b) const noexcept { return floor_[b]; }
    [[nodiscard]] bool placed(std::uint32_t b) const noexcept { return placed_[b] != 0; }
    [[nodiscard]] const std::vector<std::int64_t>& floors() const noexcept { return floor_; }

    /// The members of a clique that are not placed, in any order.
    [[nodiscard]] std::span<const std::uint32_t> unplaced_of(std::uint32_t c) const noexcept {
        return {members_.data() + problem_->clique_begin[c], count_[c]};
    }

    [[nodiscard]] std::size_t mark() const noexcept { return trail_.size(); }

    void undo_to(std::size_t mark) {
        while (trail_.size() > mark) {
            const change& c = trail_.back();
            switch (c.what) {
            case field::height:
                height_[c.index] = c.old;
                break;
            case field::slack:
                slack_[c.index] = c.old;
                break;
            case field::floor:
                floor_[c.index] = c.old;
                break;
            case field::placed:
                placed_[c.index] = 0;
                for (const std::uint32_t k : problem_->cliques_of(c.index)) {
                    ++count_[k];  // it is right behind the unplaced ones, since undo runs backwards
                }
                break;
            }
            trail_.pop_back();
        }
    }

    /// Places b at its floor, which must be the height of each of its cliques.
    /// @return false if nothing can come of it; undo then
    bool place(std::uint32_t b) {
        set_aside(b);
        const std::int64_t top = floor_[b] + problem_->size[b];
        for (const std::uint32_t c : problem_->cliques_of(b)) {
            // Bytes move from "to place" to "height": the slack stays.
            raise_height(c, top);
            enqueue(c);
        }
        return settle();
    }

    /// Takes b out of the unplaced without giving it a place; its bytes stay reserved in the slack.
    void set_aside(std::uint32_t b) {
        trail_.push_back({field::placed, b, 0});
        placed_[b] = 1;
        for (std::uint32_t i = problem_->buffer_begin[b]; i < problem_->buffer_begin[b + 1]; ++i) {
            const std::uint32_t c = problem_->memberships[i];
            move_to(i, problem_->clique_begin[c] + --count_[c]);
        }
    }

    /// Puts a buffer that was set aside on top of everything.
    void place_on_top(std::uint32_t b) {
        std::int64_t level = 0;
        for (const std::uint32_t c : problem_->cliques_of(b)) {
            level = height_[c] > level ? height_[c] : level;
        }
        trail_.push_back({field::floor, b, floor_[b]});
        floor_[b] = level;
        for (const std::uint32_t c : problem_->cliques_of(b)) {
            trail_.push_back({field::height, c, height_[c]});
            height_[c] = level + problem_->size[b];
        }
    }

    /// Decides that b stands on a buffer that is not placed yet.
    /// @return false if there is none
    bool lift(std::uint32_t b) {
        std::int64_t lowest = INT64_MAX;
        for (const std::uint32_t c : problem_->cliques_of(b)) {
            for (const std::uint32_t x : unplaced_of(c)) {
                if (x != b && floor_[x] + problem_->size[x] < lowest) {
                    lowest = floor_[x] + problem_->size[x];
                }
            }
        }
        if (lowest == INT64_MAX) {
            return false;
        }
        lowest = problem_->align_up(b, lowest);
        if (lowest > floor_[b]) {
            raise_floor(b, lowest);
        }
        return true;
    }

    /// Raises heights to the lowest floor of each clique until nothing moves.
    /// @return false if some clique overflows
    bool settle() {
        while (!queue_.empty()) {
            const std::uint32_t c = queue_.back();
            queue_.pop_back();
            queued_[c] = 0;
            if (count_[c] == 0) {
                continue;
            }
            std::int64_t lowest = INT64_MAX;
            for (const std::uint32_t b : unplaced_of(c)) {
                if (floor_[b] < lowest) {
                    lowest = floor_[b];
                    if (lowest == height_[c]) {
                        break;
                    }
                }
            }
            const std::int64_t rise = lowest - height_[c];
            if (rise <= 0) {
                continue;
            }
            if (rise > slack_[c]) {
                ++failures_[c];
                forget_queue();
                return false;
            }
            trail_.push_back({field::slack, c, slack_[c]});
            slack_[c] -= rise;
            raise_height(c, lowest);
        }
        return true;
    }

    void recheck_cliques_of(std::uint32_t b) {
        for (const std::uint32_t c : problem_->cliques_of(b)) {
            enqueue(c);
        }
    }

    void forget_queue() {
        for (const std::uint32_t c : queue_) {
            queued_[c] = 0;
        }
        queue_.clear();
    }

private:
    enum class field : std::uint8_t { height, slack, floor, placed };
    struct change {
        field what;
        std::uint32_t index;
        std::int64_t old;
    };

    /// Swaps a membership with the one at a position of the same clique.
    void move_to(std::uint32_t membership, std::uint32_t position) {
        const std::uint32_t from = position_[membership];
        std::swap(members_[from], members_[position]);
        std::swap(membership_[from], membership_[position]);
        position_[membership_[from]] = from;
        position_[membership_[position]] = position;
    }

    void enqueue(std::uint32_t c) {
        if (queued_[c] == 0) {
            queued_[c] = 1;
            queue_.push_back(c);
        }
    }

    void raise_floor(std::uint32_t b, std::int64_t value) {
        const std::int64_t old = floor_[b];
        trail_.push_back({field::floor, b, old});
        floor_[b] = value;
        for (const std::uint32_t c : problem_->cliques_of(b)) {
            // Only a clique at the old floor, or above it and below the new, can have lost its lowest buffer.
            if (height_[c] >= old && height_[c] < value) {
                enqueue(c);
            }
        }
    }

    void raise_height(std::uint32_t c, std::int64_t value) {
        trail_.push_back({field::height, c, height_[c]});
        height_[c] = value;
        for (const std::uint32_t b : unplaced_of(c)) {
            if (floor_[b] < value) {
                raise_floor(b, problem_->align_up(b, value));
            }
        }
    }

    const clique_problem* problem_;
    std::vector<std::int64_t> total_;
    std::vector<std::uint64_t> failures_;
    // The problem's members, in each clique the unplaced ones first; for each place in it the membership that it shows,
    // and for each membership its place.
    std::vector<std::uint32_t> members_, membership_, position_;
    std::vector<std::int64_t> height_, slack_, floor_;
    std::vector<std::uint32_t> count_;
    std::vector<std::uint8_t> placed_, queued_;
    std::vector<std::uint32_t> queue_;
    std::vector<change> trail_;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
