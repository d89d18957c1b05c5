#pragma once

#include <cstdint>
#include <utility>

#include <allograph/detail/take.hpp>
#include <allograph/graph/detail/atomic_word.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Whether the memory of one allocation that leaves its graph is live: launched and not freed since. Shared by the
/// graph that allocates, the buffers that own the memory, and a graph that frees it, in any order of death.
class allocation_cell {
public:
    allocation_cell() = default;
    static allocation_cell make() { return allocation_cell(new state); }
    allocation_cell(const allocation_cell& other) noexcept : state_(other.state_) { retain(); }
    allocation_cell(allocation_cell&& other) noexcept : state_(take(other.state_)) {}
    allocation_cell& operator=(allocation_cell other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~allocation_cell() {
        if (state_ != nullptr && state_->owners.add(0xFFFFFFFFu) == 0) {
            delete state_;
        }
    }
    [[nodiscard]] explicit operator bool() const noexcept { return state_ != nullptr; }
    [[nodiscard]] bool is(const allocation_cell& other) const noexcept { return state_ == other.state_; }
    [[nodiscard]] bool live() const noexcept { return state_ != nullptr && state_->live.load() == 1; }
    /// True where nobody can use the memory; not where its owner let go of it.
    [[nodiscard]] bool gone() const noexcept { return state_ != nullptr && state_->live.load() == 0; }
    /// The memory may be live, and nobody here knows.
    void lose_sight() const noexcept {
        if (state_ != nullptr) {
            state_->live.store(2);
        }
    }
    void set_live(bool live) const noexcept {
        if (state_ != nullptr) {
            state_->live.store(live ? 1 : 0);
        }
    }

    /// True where the graph that was to free the memory is gone.
    [[nodiscard]] bool abandoned() const noexcept { return state_ != nullptr && (state_->left.load() & 1) != 0; }
    /// The graph that was to free the memory dies, or the one that allocates it; each is said once.
    /// @return true where both are gone and the memory lives: nobody frees it any more
    [[nodiscard]] bool freer_leaves() const noexcept { return leave(1); }
    [[nodiscard]] bool maker_leaves() const noexcept { return leave(2); }

private:
    struct state {
        atomic_word<std::uint32_t> owners{1};
        atomic_word<std::uint32_t> live{0};
        atomic_word<std::uint32_t> left{0};
    };
    [[nodiscard]] bool leave(std::uint32_t who) const noexcept {
        return state_ != nullptr && state_->left.add(who) == 3 && live();
    }
    explicit allocation_cell(state* fresh) noexcept : state_(fresh) {}
    void retain() const noexcept {
        if (state_ != nullptr) {
            state_->owners.add(1);
        }
    }
    state* state_ = nullptr;
};

/// A number that no other graph of the process has; never 0.
inline std::uint32_t next_graph_id() noexcept {
    static atomic_word<std::uint32_t> last{0};
    const std::uint32_t id = last.add(1);
    return id != 0 ? id : last.add(1);
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
