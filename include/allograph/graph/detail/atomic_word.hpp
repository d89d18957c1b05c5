#pragma once

// <atomic> costs every file that includes it 30 ms with g++ 12; three operations do not need it.
#if defined(_MSC_VER) && !defined(__clang__)
#include <atomic>
#endif

namespace allograph {
inline namespace v0 {
namespace detail {

/// An integer or pointer that threads share.
template <class T>
class atomic_word {
public:
    constexpr explicit atomic_word(T value) noexcept : value_(value) {}
    atomic_word(const atomic_word&) = delete;
    atomic_word& operator=(const atomic_word&) = delete;

#if defined(_MSC_VER) && !defined(__clang__)
    [[nodiscard]] T load() const noexcept { return value_.load(); }
    void store(T value) noexcept { value_.store(value); }
    /// Returns the sum. Unsigned, so that adding the largest value subtracts one.
    T add(T n) noexcept { return static_cast<T>(value_.fetch_add(n) + n); }
    T exchange(T value) noexcept { return value_.exchange(value); }

private:
    std::atomic<T> value_;
#else
    [[nodiscard]] T load() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
    void store(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_RELEASE); }
    /// Returns the sum. Unsigned, so that adding the largest value subtracts one.
    T add(T n) noexcept { return __atomic_add_fetch(&value_, n, __ATOMIC_ACQ_REL); }
    T exchange(T value) noexcept { return __atomic_exchange_n(&value_, value, __ATOMIC_ACQ_REL); }

private:
    T value_;
#endif
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
