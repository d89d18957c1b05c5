#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// Who used each byte last, as stretches of bytes in ascending order. What lies beyond the last stretch is untouched.
///
/// Buffers come in an order that keeps the program's: all users of a byte then form a chain exactly when each is
/// ordered after the one before it, so the last one is all that must be remembered.
class occupants {
public:
    static constexpr std::uint32_t nobody = UINT32_MAX;

    struct stretch {
        std::uint64_t begin;
        std::uint64_t end;
        std::uint32_t owner;
    };

    /// Ascending and without holes from byte 0.
    [[nodiscard]] const std::vector<stretch>& stretches() const noexcept { return stretches_; }
    [[nodiscard]] std::uint64_t end() const noexcept { return stretches_.empty() ? 0 : stretches_.back().end; }

    /// The stretch that holds the byte, or the number of stretches.
    [[nodiscard]] std::size_t find(std::uint64_t byte) const {
        const auto it = std::upper_bound(stretches_.begin(), stretches_.end(), byte,
                                         [](std::uint64_t x, const stretch& s) { return x < s.end; });
        return static_cast<std::size_t>(it - stretches_.begin());
    }

    /// `owner` is now the last user of [begin, end), which is not empty.
    void take(std::uint64_t begin, std::uint64_t end, std::uint32_t owner) {
        if (begin > this->end()) {
            stretches_.push_back({this->end(), begin, nobody});
        }
        const std::size_t from = find(begin);
        std::size_t to = from;
        while (to < stretches_.size() && stretches_[to].end <= end) {
            ++to;
        }
        stretch pieces[3];
        std::size_t count = 0;
        if (from < stretches_.size() && stretches_[from].begin < begin) {
            pieces[count++] = {stretches_[from].begin, begin, stretches_[from].owner};
        }
        pieces[count++] = {begin, end, owner};
        if (to < stretches_.size() && stretches_[to].begin < end) {
            pieces[count++] = {end, stretches_[to].end, stretches_[to].owner};
            ++to;
        }
        const std::size_t gone = to - from;
        const auto at = [&](std::size_t i) { return stretches_.begin() + static_cast<std::ptrdiff_t>(i); };
        if (gone > count) {
            stretches_.erase(at(from + count), at(to));
        } else if (gone < count) {
            stretches_.insert(at(to), count - gone, stretch{});
        }
        std::copy(pieces, pieces + count, at(from));
    }

private:
    std::vector<stretch> stretches_;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
