#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <allograph/model/detail/conflict_matrix.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// Places buffers one by one, each in the lowest gap that its conflicts leave. Linear time a buffer.
class gap_fit {
public:
    gap_fit(const placement_problem& problem, const conflict_matrix& conflicts)
        : problem_(&problem), conflicts_(&conflicts), offsets_(problem.size(), 0) {}

    /// @param order   the buffers that take bytes, each once
    /// @param enough  stop as soon as this many bytes are reached
    /// @return the bytes taken, at least `enough` if it stopped
    std::uint64_t run(const std::vector<std::uint32_t>& order, std::uint64_t enough = UINT64_MAX) {
        placed_.clear();
        std::uint64_t bytes = 0;
        for (const std::uint32_t b : order) {
            const std::uint64_t size = problem_->size_of(b);
            std::uint64_t offset = 0;
            for (const block& other : placed_) {
                if (other.offset >= offset + size) {
                    break;
                }
                if (other.end > offset && (*conflicts_)(b, other.buffer)) {
                    offset = problem_->align_up(b, other.end);
                }
            }
            bytes = std::max(bytes, offset + size);
            if (bytes >= enough) {
                return bytes;
            }
            offsets_[b] = offset;
            const auto at = std::upper_bound(placed_.begin(), placed_.end(), offset,
                                             [](std::uint64_t x, const block& y) { return x < y.offset; });
            placed_.insert(at, {offset, offset + size, b});
        }
        return bytes;
    }

    [[nodiscard]] const std::vector<std::uint64_t>& offsets() const noexcept { return offsets_; }

private:
    struct block {
        std::uint64_t offset;
        std::uint64_t end;
        std::uint32_t buffer;
    };

    const placement_problem* problem_;
    const conflict_matrix* conflicts_;
    std::vector<std::uint64_t> offsets_;
    std::vector<block> placed_;  // ascending by offset
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
