#pragma once

#include <cstdint>
#include <vector>

#include <allograph/model/device.hpp>

namespace allograph {
inline namespace v0 {

/// Physical bytes that graphs take, by device, in whole chunks (rules M3, P2).
class memory_footprint {
public:
    [[nodiscard]] std::uint64_t on(device which) const noexcept {
        for (const entry& each : entries_) {
            if (each.which == which) {
                return each.bytes;
            }
        }
        return 0;
    }
    /// Of all devices together.
    [[nodiscard]] std::uint64_t bytes() const noexcept {
        std::uint64_t sum = 0;
        for (const entry& each : entries_) {
            sum += each.bytes;
        }
        return sum;
    }

    /// What two graphs take that may run at once, on different streams.
    [[nodiscard]] friend memory_footprint at_once(memory_footprint a, const memory_footprint& b) {
        for (const entry& each : b.entries_) {
            a.on_device(each.which) += each.bytes;
        }
        return a;
    }
    /// What two graphs take that run one after the other on one stream: they share (rule M4).
    [[nodiscard]] friend memory_footprint in_sequence(memory_footprint a, const memory_footprint& b) {
        for (const entry& each : b.entries_) {
            std::uint64_t& mine = a.on_device(each.which);
            mine = mine > each.bytes ? mine : each.bytes;
        }
        return a;
    }

    void add(device which, std::uint64_t bytes) { on_device(which) += bytes; }

    struct entry {
        device which;
        std::uint64_t bytes;
    };
    [[nodiscard]] const std::vector<entry>& devices() const noexcept { return entries_; }

private:
    std::uint64_t& on_device(device which) {
        for (entry& each : entries_) {
            if (each.which == which) {
                return each.bytes;
            }
        }
        return entries_.emplace_back(entry{which, 0}).bytes;
    }
    std::vector<entry> entries_;
};

}  // namespace v0
}  // namespace allograph
