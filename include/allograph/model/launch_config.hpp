#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <allograph/model/misuse.hpp>
#include <allograph/model/source_line.hpp>

namespace allograph {
inline namespace v0 {

/// Three extents, in blocks or threads.
struct extent {
    unsigned x = 1;  ///< fastest
    unsigned y = 1;  ///< in the middle
    unsigned z = 1;  ///< slowest
    friend constexpr bool operator==(const extent&, const extent&) noexcept = default;
};

/// How a kernel node is launched.
struct launch_config {
    extent grid{};                           ///< blocks
    extent block{};                          ///< threads a block
    unsigned shared_bytes = 0;               ///< dynamic shared memory a block, in bytes
    extent cluster{.x = 0, .y = 0, .z = 0};  ///< blocks a cluster; all 0: no clusters
    /// True where blocks run in clusters.
    [[nodiscard]] constexpr bool has_cluster() const noexcept { return cluster.x != 0; }
};

/// The one-dimensional launch that covers `count` elements with blocks of `block` threads; one block for none.
/// @throws misuse [grid] for a block of 0 threads, or for more blocks than a grid holds (2^31 - 1)
[[nodiscard]] constexpr launch_config grid_for(std::size_t count, unsigned block = 256) {
    if (block == 0) {
        detail::broken_rule("grid", "a block needs at least one thread");
    }
    const std::size_t blocks = count == 0 ? 1 : (count - 1) / block + 1;
    if (blocks > 0x7FFFFFFFu) {
        detail::broken_rule("grid", "more blocks than a grid holds: let each thread take several elements");
    }
    return {.grid = {.x = static_cast<unsigned>(blocks)}, .block = {.x = block}};
}

namespace detail {

/// A value with the line of the call that passed it: for variadic members, whose end a default argument cannot take.
template <class T>
struct located {
    T value;
    source_line where;
    template <class U>
        requires std::convertible_to<U, T>
    constexpr located(U&& given, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
        : value(static_cast<U&&>(given)), where{file, line} {}
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
