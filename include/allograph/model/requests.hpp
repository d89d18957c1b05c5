#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <allograph/model/device.hpp>
#include <allograph/model/memory_use.hpp>
#include <allograph/model/node.hpp>

namespace allograph {
inline namespace v0 {

/// What a typed member asks of the graph, or of the model, behind it. Addresses and sizes are in bytes.
struct alloc_request {
    std::size_t bytes;           ///< at least 1
    std::size_t count;           ///< elements
    std::size_t alignment;       ///< of the element type
    std::string_view type_name;  ///< of the element type
    alloc_options options;       ///< name, device and peers
};

/// What adding an allocation gives.
struct alloc_result {
    node made;                 ///< the allocation node
    std::uint64_t address;     ///< of the first byte
    std::uint32_t allocation;  ///< its number in the graph
};

/// A free.
struct free_request {
    node alloc;                 ///< the allocation node
    allocation_ref allocation;  ///< of this graph or of another
    std::uint64_t address;      ///< as the allocation node gave it
};

/// A memset.
struct memset_request {
    std::uint64_t address;      ///< of the first byte
    std::size_t element_bytes;  ///< 1, 2 or 4
    std::size_t count;          ///< elements of that size
    std::uint32_t value;        ///< the bits of an element
    memory_use use;             ///< a write
};

/// One side of a copy: device memory by address, or host memory by pointer.
struct copy_side {
    std::uint64_t address = 0;   ///< of device memory
    const void* host = nullptr;  ///< of host memory
    bool on_device = false;      ///< which of the two counts
    memory_use use{};            ///< of device memory
};

/// A copy.
struct memcpy_request {
    copy_side to;       ///< is written
    copy_side from;     ///< is read
    std::size_t bytes;  ///< the same on both sides
};

namespace detail {

/// The name of a type as the compiler spells it.
template <class T>
constexpr std::string_view type_name() noexcept {
#if defined(__clang__) || defined(__GNUC__)
    constexpr std::string_view text = __PRETTY_FUNCTION__;
    constexpr std::size_t begin = text.find("T = ") + 4;
    constexpr std::size_t end = text.find_first_of(";]", begin);
    return text.substr(begin, end - begin);
#else
    return "T";
#endif
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
