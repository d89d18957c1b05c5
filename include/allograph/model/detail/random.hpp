#pragma once

#include <cstdint>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// A small deterministic generator (SplitMix64): the same seed gives the same plan on every machine and compiler.
class random_source {
public:
    explicit constexpr random_source(std::uint64_t seed) noexcept : state_(seed) {}

    constexpr std::uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }

    /// A number in [0, bound); bound at least 1. The bias of the remainder is of no matter here.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

private:
    std::uint64_t state_;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
