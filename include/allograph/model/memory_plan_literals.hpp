#pragma once

#include <cstdint>

namespace allograph {
inline namespace v0 {
inline namespace literals {

/// Bytes: `64_MiB`.
constexpr std::uint64_t operator""_KiB(unsigned long long n) noexcept { return std::uint64_t{n} << 10U; }
/// 2^20 bytes: `64_MiB`.
constexpr std::uint64_t operator""_MiB(unsigned long long n) noexcept { return std::uint64_t{n} << 20U; }
/// 2^30 bytes: `2_GiB`.
constexpr std::uint64_t operator""_GiB(unsigned long long n) noexcept { return std::uint64_t{n} << 30U; }

}  // namespace literals
}  // namespace v0
}  // namespace allograph
