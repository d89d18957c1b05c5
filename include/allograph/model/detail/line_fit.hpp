#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <allograph/model/detail/block_list.hpp>
#include <allograph/model/detail/buffer_orders.hpp>
#include <allograph/model/detail/sections.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// The heuristic for very many buffers on a line: an allocator that is told when each block will be released. Linear
/// memory, about n log n time.
class line_fit {
public:
    explicit line_fit(const placement_problem& problem) : problem_(&problem), line_(problem.lifetimes()) {}

    /// The buffers in the order of time, each in the free block that the policy likes best.
    [[nodiscard]] std::vector<std::uint64_t> by_time(block_policy policy) const {
        std::vector<std::uint64_t> offsets(problem_->size(), 0);
        std::vector<std::uint32_t> handles(problem_->size(), 0);
        const std::vector<std::uint32_t> begins = sorted_buffers(*problem_, [&](std::uint32_t b) { return line_.first[b]; });
        const std::vector<std::uint32_t> ends = sorted_buffers(*problem_, [&](std::uint32_t b) { return line_.end[b]; });
        block_list memory(policy);
        std::size_t ended = 0;
        for (const std::uint32_t b : begins) {
            for (; line_.end[ends[ended]] <= line_.first[b]; ++ended) {
                memory.release(handles[ends[ended]]);
            }
            handles[b] = memory.allocate(problem_->size_of(b), problem_->alignment_of(b), line_.first[b], line_.end[b]);
            offsets[b] = memory.begin(handles[b]);
        }
        return offsets;
    }

private:
    const placement_problem* problem_;
    sections line_;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
