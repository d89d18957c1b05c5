#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// The height of each section of a line, which only grows: greatest height of a range, and raising a range, in
/// logarithmic time.
class skyline_tree {
public:
    explicit skyline_tree(std::uint32_t sections) {
        while (leaves_ < sections) {
            leaves_ *= 2;
        }
        any_.assign(std::size_t{2} * leaves_, 0);
        all_.assign(std::size_t{2} * leaves_, 0);
    }

    /// The greatest height in the sections [first, end).
    [[nodiscard]] std::uint64_t highest(std::uint32_t first, std::uint32_t end) const {
        std::size_t l = std::size_t{first} + leaves_;
        std::size_t r = std::size_t{end} + leaves_;
        std::uint64_t top = 0;
        const std::size_t left = l;
        const std::size_t right = r - 1;
        for (; l < r; l /= 2, r /= 2) {
            if (l % 2 == 1) {
                top = std::max(top, any_[l++]);
            }
            if (r % 2 == 1) {
                top = std::max(top, any_[--r]);
            }
        }
        for (std::size_t i = left / 2; i != 0; i /= 2) {
            top = std::max(top, all_[i]);
        }
        for (std::size_t i = right / 2; i != 0; i /= 2) {
            top = std::max(top, all_[i]);
        }
        return top;
    }

    /// No section of [first, end) stays lower than `height`.
    void raise(std::uint32_t first, std::uint32_t end, std::uint64_t height) {
        std::size_t l = std::size_t{first} + leaves_;
        std::size_t r = std::size_t{end} + leaves_;
        const std::size_t left = l;
        const std::size_t right = r - 1;
        for (; l < r; l /= 2, r /= 2) {
            if (l % 2 == 1) {
                cover(l++, height);
            }
            if (r % 2 == 1) {
                cover(--r, height);
            }
        }
        for (std::size_t i = left / 2; i != 0; i /= 2) {
            any_[i] = std::max(any_[i], height);
        }
        for (std::size_t i = right / 2; i != 0; i /= 2) {
            any_[i] = std::max(any_[i], height);
        }
    }

private:
    void cover(std::size_t node, std::uint64_t height) {
        any_[node] = std::max(any_[node], height);
        all_[node] = std::max(all_[node], height);
    }

    std::size_t leaves_ = 1;
    std::vector<std::uint64_t> any_;  // greatest height of anything below a tree node
    std::vector<std::uint64_t> all_;  // height that everything below a tree node has at least
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
