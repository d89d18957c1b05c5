#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace allograph {
inline namespace v0 {

/// The allocation that an address came from: the graph that made it and its number there. Graph 0 is unknown
/// memory, which nothing can be said about.
struct allocation_ref {
    std::uint32_t graph = 0;  ///< 0: unknown
    std::uint32_t index = 0;  ///< its number in that graph, from 0 on
    /// True where it came from a graph.
    [[nodiscard]] constexpr bool known() const noexcept { return graph != 0; }
    friend constexpr bool operator==(allocation_ref, allocation_ref) noexcept = default;
};

/// How a node touches memory.
enum class access : std::uint8_t {
    read,  ///< alone
    write  ///< and read, perhaps
};

/// One node touching one allocation. A write may read as well.
struct memory_use {
    allocation_ref allocation;  ///< what is touched
    access how = access::read;  ///< read, or written
    friend constexpr bool operator==(const memory_use&, const memory_use&) noexcept = default;
};

/// What a node touches behind raw pointers, said by the caller as the last argument of the call that adds it.
template <std::size_t N>
struct use_list {
    std::array<memory_use, N> items;  ///< one for each memory that was named
};

/// A use that reads.
/// @param memory  an `alloc_node<T>`, a `device_ptr<T>` or a `device_span<T>`
template <class M>
[[nodiscard]] constexpr memory_use reads(const M& memory) {
    return {memory.allocation(), access::read};
}
/// A use that writes, or reads and writes.
template <class M>
[[nodiscard]] constexpr memory_use writes(const M& memory) {
    return {memory.allocation(), access::write};
}

/// `uses(reads(x), writes(y))`, the last argument of `add_kernel` or `add_host`.
template <class... U>
[[nodiscard]] constexpr use_list<sizeof...(U)> uses(const U&... use) noexcept {
    return {{{use...}}};
}

}  // namespace v0
}  // namespace allograph
