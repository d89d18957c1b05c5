#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include <allograph/detail/take.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Room for values that is asked for before it is written, so that writing never throws. Its owner knows how many
/// are in use; what lies behind them is indeterminate, or zero where `Zeroed`.
///
/// Not std::vector: that fills what it makes room for and copies when it grows, whereas realloc moves the pages of
/// a large block. The difference is some nanoseconds for every node of a checked graph.
template <class T, bool Zeroed = false>
class growing {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    growing() noexcept = default;
    growing(growing&& other) noexcept : data_(take(other.data_)), capacity_(take(other.capacity_)) {}
    /// A copy of the first `used` values.
    growing(const growing& other, std::size_t used) {
        if (used != 0) {
            grow(used);
            std::memcpy(static_cast<void*>(data_), other.data_, used * sizeof(T));
        }
    }
    growing& operator=(growing&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~growing() { std::free(data_); }

    void reserve(std::size_t count) {
        if (count > capacity_) [[unlikely]] {
            grow(count);
        }
    }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] T& operator[](std::size_t i) noexcept { return data_[i]; }
    [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return data_[i]; }

private:
    [[gnu::cold, gnu::noinline]] void grow(std::size_t count) {
        const std::size_t doubled = capacity_ * 2;
        const std::size_t wanted = count > doubled ? (count > 16 ? count : 16) : doubled;
        if (wanted > static_cast<std::size_t>(-1) / sizeof(T)) {
            throw std::bad_alloc();
        }
        data_ = static_cast<T*>(larger(wanted * sizeof(T)));
        if constexpr (Zeroed) {
            std::memset(static_cast<void*>(data_ + capacity_), 0, (wanted - capacity_) * sizeof(T));
        }
        capacity_ = wanted;
    }

    [[nodiscard]] void* larger(std::size_t bytes) {
        void* block = nullptr;
        if constexpr (alignof(T) > alignof(std::max_align_t)) {  // realloc forgets such an alignment
            block = std::aligned_alloc(alignof(T), bytes);
        } else {
            block = std::realloc(static_cast<void*>(data_), bytes);
        }
        if (block == nullptr) {
            throw std::bad_alloc();
        }
        if constexpr (alignof(T) > alignof(std::max_align_t)) {
            if (capacity_ != 0) {
                std::memcpy(block, data_, capacity_ * sizeof(T));
            }
            std::free(data_);
        }
        return block;
    }

    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
