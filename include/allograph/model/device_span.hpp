#pragma once

#include <allograph/model/device_ptr.hpp>

namespace allograph {
inline namespace v0 {

namespace detail {
struct within_bounds {};  // no count to check: it is the allocation's own
}  // namespace detail

/// `size()` elements of device memory from `data()` on. A sub-span counts as a use of its whole allocation.
template <class T>
class device_span {
public:
    using element_type = T;                  ///< const where the memory is only read
    using value_type = std::remove_cv_t<T>;  ///< what a copy of an element is

    constexpr device_span() noexcept = default;

    /// @param count  elements. @throws misuse [O5] when they pass the end of a known allocation
    constexpr device_span(device_ptr<T> data, std::size_t count) : data_(data), size_(count) {
        if (data.bounded() && count > data.known_elements()) {
            detail::broken_rule("O5", "a span passes the end of its allocation");
        }
    }
    template <class U>
        requires(std::is_const_v<T> && std::same_as<std::remove_const_t<T>, U>)
    constexpr device_span(const device_span<U>& other) noexcept : data_(other.data()), size_(other.size()) {}

    [[nodiscard]] constexpr device_ptr<T> data() const noexcept { return data_; }                      ///< the first element
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }                        ///< in elements
    [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }      ///< in bytes
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }                         ///< no elements
    [[nodiscard]] constexpr allocation_ref allocation() const noexcept { return data_.allocation(); }  ///< it came from

    template <class I, class Reason = because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy>
    T& operator[](I) const = delete;
    template <class Reason = because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy>
    T* begin() const = delete;
    template <class Reason = because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy>
    T* end() const = delete;

    /// `count` elements from `offset` on. @throws misuse [O5] past the end
    [[nodiscard]] constexpr device_span subspan(std::size_t offset, std::size_t count) const {
        if (offset > size_ || count > size_ - offset) {
            detail::broken_rule("O5", "a sub-span passes the end of its span");
        }
        device_span part;
        part.data_ = data_ + static_cast<std::ptrdiff_t>(offset);
        part.size_ = count;
        return part;
    }
    /// The first `count` elements. @throws misuse [O5] past the end
    [[nodiscard]] constexpr device_span first(std::size_t count) const { return subspan(0, count); }
    /// The last `count` elements. @throws misuse [O5] past the beginning
    [[nodiscard]] constexpr device_span last(std::size_t count) const {
        return subspan(count > size_ ? size_ + 1 : size_ - count, count);
    }

private:
    friend struct detail::handle_access;
    constexpr device_span(device_ptr<T> data, std::size_t count, detail::within_bounds) noexcept : data_(data), size_(count) {}

    device_ptr<T> data_;
    std::size_t size_ = 0;
};

}  // namespace v0
}  // namespace allograph
