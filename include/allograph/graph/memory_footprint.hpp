#pragma once

#include <cstdint>

#include <allograph/model/device.hpp>

namespace allograph {
inline namespace v0 {

/// Physical bytes that graphs take, by device, in whole chunks (rules M3, P2).
class memory_footprint {
public:
    static constexpr int most_devices = 64;  ///< ordinals from 0 to 63

    /// Of one device; 0 for one that takes none.
    [[nodiscard]] constexpr std::uint64_t on(device which) const noexcept {
        return which.ordinal >= 0 && which.ordinal < most_devices ? bytes_[which.ordinal] : 0;
    }
    /// Of all devices together.
    [[nodiscard]] constexpr std::uint64_t bytes() const noexcept {
        std::uint64_t sum = 0;
        for (const std::uint64_t each : bytes_) {
            sum += each;
        }
        return sum;
    }

    /// What two graphs take that may run at once, on different streams.
    [[nodiscard]] friend constexpr memory_footprint at_once(memory_footprint a, const memory_footprint& b) noexcept {
        for (int i = 0; i < most_devices; ++i) {
            a.bytes_[i] += b.bytes_[i];
        }
        return a;
    }
    /// What two graphs take that run one after the other on one stream: they share (rule M4).
    [[nodiscard]] friend constexpr memory_footprint in_sequence(memory_footprint a, const memory_footprint& b) noexcept {
        for (int i = 0; i < most_devices; ++i) {
            a.bytes_[i] = a.bytes_[i] > b.bytes_[i] ? a.bytes_[i] : b.bytes_[i];
        }
        return a;
    }

    /// @param which  an ordinal from 0 to 63
    constexpr void add(device which, std::uint64_t bytes) noexcept { bytes_[which.ordinal] += bytes; }

private:
    std::uint64_t bytes_[most_devices] = {};
};

}  // namespace v0
}  // namespace allograph
