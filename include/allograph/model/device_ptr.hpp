#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <allograph/model/memory_use.hpp>
#include <allograph/model/misuse.hpp>
#include <allograph/model/node.hpp>

namespace allograph {
inline namespace v0 {

/// What device memory may hold (rule A14).
template <class T>
concept device_element = std::is_trivially_copyable_v<T> && !std::is_reference_v<T> && !std::is_const_v<T> &&
                         !std::is_volatile_v<T> && !std::is_void_v<T> && alignof(T) <= 512;

struct because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy {};

/// A typed device address that the host cannot dereference. `T` may be const: a kernel that takes it then reads.
///
/// It remembers the allocation that it came from, and how many elements lie before and behind it there, so that
/// arithmetic that leaves the allocation is found at once (rule O5). It does not own.
template <class T>
class device_ptr {
public:
    using element_type = T;  ///< const where the memory is only read

    constexpr device_ptr() noexcept = default;

    /// Memory that is no graph's: from `cuMemAlloc`, a pool, a library. Its bounds are unknown.
    constexpr explicit device_ptr(std::uint64_t address) noexcept : address_(address) {}
    explicit device_ptr(T* pointer) noexcept : address_(reinterpret_cast<std::uintptr_t>(pointer)) {}

    template <class U>
        requires(std::is_const_v<T> && std::same_as<std::remove_const_t<T>, U>)
    constexpr device_ptr(const device_ptr<U>& other) noexcept
        : address_(other.address()), begin_(detail_begin(other)), end_(detail_end(other)), from_(other.allocation()) {}

    /// The address, in bytes.
    [[nodiscard]] constexpr std::uint64_t address() const noexcept { return address_; }

    /// The raw pointer, for interop: from here on nothing is checked.
    [[nodiscard]] T* get() const noexcept { return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address_)); }

    /// The allocation that the address came from; unknown for memory that is no graph's.
    [[nodiscard]] constexpr allocation_ref allocation() const noexcept { return from_; }

    /// False for a null address of no allocation.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return address_ != 0 || from_.known(); }

    template <class Reason = because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy>
    T& operator*() const = delete;
    template <class Reason = because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy>
    T* operator->() const = delete;
    template <class I, class Reason = because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy>
    T& operator[](I) const = delete;

    /// The address `count` elements further. @throws misuse [O5] outside of the allocation, where it is known
    [[nodiscard]] constexpr device_ptr operator+(std::ptrdiff_t count) const {
        if (bounded()) {  // counted in elements, so that nothing wraps around
            const auto behind = static_cast<std::ptrdiff_t>((address_ - begin_) / sizeof(T));
            const auto ahead = static_cast<std::ptrdiff_t>((end_ - address_) / sizeof(T));
            if (count < -behind || count > ahead) {
                detail::broken_rule("O5", "device pointer arithmetic leaves the allocation");
            }
        }
        device_ptr moved = *this;
        moved.address_ = address_ + static_cast<std::uint64_t>(count) * sizeof(T);  // modulo 2^64, as addresses are
        return moved;
    }
    /// The address `count` elements before. @throws misuse [O5] outside of the allocation, where it is known
    [[nodiscard]] constexpr device_ptr operator-(std::ptrdiff_t count) const { return *this + -count; }
    /// Elements from `b` to `a`, which lie in one allocation.
    [[nodiscard]] friend constexpr std::ptrdiff_t operator-(const device_ptr& a, const device_ptr& b) noexcept {
        return static_cast<std::ptrdiff_t>(a.address_ - b.address_) / static_cast<std::ptrdiff_t>(sizeof(T));
    }
    /// True for one address of one allocation: after a free another allocation may have the address (rule X9).
    friend constexpr bool operator==(const device_ptr& a, const device_ptr& b) noexcept {
        return a.address_ == b.address_ && a.from_ == b.from_;
    }

    /// True where the bounds of the allocation are known.
    [[nodiscard]] constexpr bool bounded() const noexcept { return end_ != 0; }

    /// Elements from here to the end of the allocation; 0 where that is not known.
    [[nodiscard]] constexpr std::size_t known_elements() const noexcept {
        return end_ == 0 ? 0 : static_cast<std::size_t>((end_ - address_) / sizeof(T));
    }

private:
    friend struct detail::handle_access;
    template <class>
    friend class device_ptr;

    constexpr device_ptr(std::uint64_t address, std::size_t count, allocation_ref from) noexcept
        : address_(address), begin_(address), end_(address + count * sizeof(T)), from_(from) {}

    template <class U>
    static constexpr std::uint64_t detail_begin(const device_ptr<U>& p) noexcept {
        return p.begin_;
    }
    template <class U>
    static constexpr std::uint64_t detail_end(const device_ptr<U>& p) noexcept {
        return p.end_;
    }

    std::uint64_t address_ = 0;
    std::uint64_t begin_ = 0;  // of the allocation
    std::uint64_t end_ = 0;    // of the allocation; 0 where not known
    allocation_ref from_{};
};

}  // namespace v0
}  // namespace allograph
