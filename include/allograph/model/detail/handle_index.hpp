#pragma once

#include <cstdint>

#include <allograph/model/detail/growing.hpp>

struct CUgraphNode_st;

namespace allograph {
inline namespace v0 {
namespace detail {

/// Finds a node again by the driver's handle. Built only once somebody asks: programs that keep to the library's
/// own handles never do.
class handle_index {
public:
    [[nodiscard]] bool built() const noexcept { return mask_ != 0; }

    /// True where `insert` needs more room.
    [[nodiscard]] bool full() const noexcept { return built() && used_ + std::size_t{1} > mask_ / 2; }
    /// Makes room for one more, so that `insert` cannot fail.
    void reserve_one() {
        if (used_ + std::size_t{1} > mask_ / 2) {
            rebuild(used_ + std::size_t{1});
        }
    }
    void insert(CUgraphNode_st* handle, std::uint32_t number) noexcept {
        std::size_t at = start(handle);
        while (slots_[at].handle != nullptr && slots_[at].handle != handle) {
            at = (at + 1) & mask_;
        }
        used_ += slots_[at].handle == nullptr;
        slots_[at] = {handle, number};  // the driver may use the handle of a destroyed node again
    }
    /// 0 where it is unknown.
    [[nodiscard]] std::uint32_t find(CUgraphNode_st* handle) const noexcept {
        if (!built() || handle == nullptr) {
            return 0;
        }
        std::size_t at = start(handle);
        while (slots_[at].handle != nullptr && slots_[at].handle != handle) {
            at = (at + 1) & mask_;
        }
        return slots_[at].handle == handle ? slots_[at].number : 0;
    }
    void erase(CUgraphNode_st* handle) noexcept {
        if (built() && find(handle) != 0) {
            insert(handle, 0);  // its place is kept, for the search of others
        }
    }

    /// Makes room for `count` handles; those that are there stay.
    void rebuild(std::size_t count) {
        std::size_t size = 64;
        while (size < count * 4) {
            size *= 2;
        }
        handle_index larger;
        larger.slots_.reserve(size);
        larger.mask_ = larger.slots_.capacity() - 1;
        if (built()) {
            for (std::size_t i = 0; i <= mask_; ++i) {
                if (slots_[i].handle != nullptr && slots_[i].number != 0) {
                    larger.insert(slots_[i].handle, slots_[i].number);
                }
            }
        }
        *this = static_cast<handle_index&&>(larger);
    }

private:
    struct slot {
        CUgraphNode_st* handle;
        std::uint32_t number;
    };
    [[nodiscard]] std::size_t start(CUgraphNode_st* handle) const noexcept {
        const auto bits = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(handle));
        return static_cast<std::size_t>((bits * 0x9E3779B97F4A7C15ull) >> 32) & mask_;
    }

    growing<slot, true> slots_;
    std::size_t mask_ = 0;  // a power of two, less one; 0 before the first use
    std::size_t used_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
