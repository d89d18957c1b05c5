#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <allograph/model/detail/block_list.hpp>
#include <allograph/model/detail/buffer_orders.hpp>
#include <allograph/model/detail/sections.hpp>
#include <allograph/model/detail/skyline_tree.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// Heuristics for very many buffers on a line: linear memory, about n log n time.
class line_fit {
public:
    explicit line_fit(const placement_problem& problem) : problem_(&problem), line_(problem.lifetimes()) {}

    /// The buffers in the order of time, each in the free block that fits it best.
    [[nodiscard]] std::vector<std::uint64_t> by_time() const {
        std::vector<std::uint64_t> offsets(problem_->size(), 0);
        std::vector<std::uint32_t> handles(problem_->size(), 0);
        const std::vector<std::uint32_t> begins = sorted_buffers(*problem_, [&](std::uint32_t b) { return line_.first[b]; });
        const std::vector<std::uint32_t> ends = sorted_buffers(*problem_, [&](std::uint32_t b) { return line_.end[b]; });
        block_list memory;
        std::size_t ended = 0;
        for (const std::uint32_t b : begins) {
            for (; line_.end[ends[ended]] <= line_.first[b]; ++ended) {
                memory.release(handles[ends[ended]]);
            }
            handles[b] = memory.allocate(problem_->size_of(b), problem_->alignment_of(b));
            offsets[b] = memory.begin(handles[b]);
        }
        return offsets;
    }

    /// Buffers of about one size share lanes: within a class of sizes, each takes a lane that is free, or a new one.
    /// Sizes up to a quarter apart share a class where `classes` is 4.
    [[nodiscard]] std::vector<std::uint64_t> by_lanes(std::uint64_t classes) const {
        const auto class_of = [&](std::uint32_t b) {
            const std::uint64_t size = problem_->size_of(b);
            std::uint64_t shift = 0;
            while ((size >> shift) >= 2 * classes) {
                ++shift;
            }
            return shift * 2 * classes + (size >> shift);
        };
        std::vector<std::uint64_t> classes_of(problem_->size(), 0);
        for (std::uint32_t b = 0; b < problem_->size(); ++b) {
            classes_of[b] = problem_->size_of(b) == 0 ? 0 : class_of(b);
        }
        // By falling class, then by time.
        const std::vector<std::uint32_t> order = sorted_buffers(*problem_, [&](std::uint32_t b) {
            return ((UINT64_MAX >> 32U) - classes_of[b]) << 32U | line_.first[b];
        });
        std::vector<std::uint64_t> offsets(problem_->size(), 0);
        std::uint64_t base = 0;
        struct lane {
            std::uint32_t until;
            std::uint64_t offset;
        };
        const auto later = [](const lane& x, const lane& y) {
            return x.until != y.until ? x.until > y.until : x.offset > y.offset;
        };
        std::vector<lane> lanes;  // a heap: the one that is free first on top
        for (std::size_t i = 0; i < order.size();) {
            std::size_t end = i;
            std::uint64_t height = 0;
            for (; end < order.size() && classes_of[order[end]] == classes_of[order[i]]; ++end) {
                height = std::max({height, problem_->size_of(order[end])});
            }
            lanes.clear();
            for (; i < end; ++i) {
                const std::uint32_t b = order[i];
                std::uint64_t offset = base;
                if (!lanes.empty() && lanes.front().until <= line_.first[b]) {
                    std::pop_heap(lanes.begin(), lanes.end(), later);
                    offset = lanes.back().offset;
                    lanes.pop_back();
                } else {
                    base += height;
                }
                offsets[b] = offset;
                lanes.push_back({line_.end[b], offset});
                std::push_heap(lanes.begin(), lanes.end(), later);
            }
        }
        return offsets;
    }

    /// Stacks buffers in an order: each on the highest of the earlier ones that live with it.
    [[nodiscard]] std::vector<std::uint64_t> stack(const std::vector<std::uint32_t>& order) const {
        std::vector<std::uint64_t> offsets(problem_->size(), 0);
        skyline_tree tops(line_.count);
        for (const std::uint32_t b : order) {
            offsets[b] = problem_->align_up(b, tops.highest(line_.first[b], line_.end[b]));
            tops.raise(line_.first[b], line_.end[b], offsets[b] + problem_->size_of(b));
        }
        return offsets;
    }

    /// Lets everything sink as far as it goes without passing anything: never worse.
    [[nodiscard]] std::vector<std::uint64_t> sink(const std::vector<std::uint64_t>& offsets) const {
        return stack(by_offset(*problem_, offsets));
    }

    /// Lets everything rise to the ceiling, then sink again, which closes gaps of another kind.
    [[nodiscard]] std::vector<std::uint64_t> shake(const std::vector<std::uint64_t>& offsets) const {
        const std::vector<std::uint32_t> falling =
            sorted_buffers(*problem_, [&](std::uint32_t b) { return UINT64_MAX - offsets[b] - problem_->size_of(b); });
        const std::vector<std::uint64_t> hanging = stack(falling);
        return stack(sorted_buffers(
            *problem_, [&](std::uint32_t b) { return UINT64_MAX - hanging[b] - problem_->size_of(b); }));
    }

    [[nodiscard]] const sections& line() const noexcept { return line_; }

private:
    const placement_problem* problem_;
    sections line_;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
