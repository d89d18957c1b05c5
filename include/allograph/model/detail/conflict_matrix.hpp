#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// Which pairs of buffers conflict, one bit a pair: for problems of a few thousand buffers at most.
class conflict_matrix {
public:
    static constexpr std::size_t most_buffers = 2048;

    explicit conflict_matrix(const placement_problem& problem)
        : words_((problem.size() + 63) / 64), bits_(problem.size() * words_, 0), degree_(problem.size(), 0) {
        for (std::uint32_t a = 0; a < problem.size(); ++a) {
            for (std::uint32_t b = 0; b < a; ++b) {
                if (problem.conflict(a, b)) {
                    bits_[a * words_ + b / 64] |= std::uint64_t{1} << (b % 64);
                    bits_[b * words_ + a / 64] |= std::uint64_t{1} << (a % 64);
                    ++degree_[a];
                    ++degree_[b];
                }
            }
        }
    }

    [[nodiscard]] bool operator()(std::uint32_t a, std::uint32_t b) const noexcept {
        return ((bits_[a * words_ + b / 64] >> (b % 64)) & 1U) != 0;
    }
    /// How many buffers conflict with b.
    [[nodiscard]] std::uint32_t degree(std::uint32_t b) const noexcept { return degree_[b]; }

private:
    std::size_t words_;
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint32_t> degree_;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
