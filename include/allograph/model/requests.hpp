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
    std::size_t bytes;
    std::size_t count;            ///< elements
    std::size_t alignment;        ///< of the element type
    std::string_view type_name;   ///< of the element type
    alloc_options options;
};

struct alloc_result {
    node made;
    std::uint64_t address;
    std::uint32_t allocation;  ///< its number in the graph
};

struct free_request {
    node alloc;
    allocation_ref allocation;
    std::uint64_t address;
};

struct memset_request {
    std::uint64_t address;
    std::size_t element_bytes;  ///< 1, 2 or 4
    std::size_t count;          ///< elements of that size
    std::uint32_t value;
    memory_use use;
};

/// One side of a copy: device memory by address, or host memory by pointer.
struct copy_side {
    std::uint64_t address = 0;
    const void* host = nullptr;
    bool on_device = false;
    memory_use use{};
};

struct memcpy_request {
    copy_side to;
    copy_side from;
    std::size_t bytes;
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
