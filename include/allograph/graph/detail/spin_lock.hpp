#pragma once

#include <cstdint>

#include <allograph/graph/detail/atomic_word.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// One lock for the library's few process-wide lists, held over a few pointer writes: <mutex> would cost every user
/// more than all of those headers.
class spin_lock {
public:
    spin_lock() noexcept {
        while (taken().exchange(1) != 0) {
        }
    }
    ~spin_lock() { taken().store(0); }
    spin_lock(const spin_lock&) = delete;
    spin_lock& operator=(const spin_lock&) = delete;

private:
    static atomic_word<std::uint32_t>& taken() noexcept {
        static atomic_word<std::uint32_t> word{0};
        return word;
    }
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
