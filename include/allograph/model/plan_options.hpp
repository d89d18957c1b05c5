#pragma once

#include <chrono>
#include <cstdint>

#include <allograph/model/device.hpp>
#include <allograph/model/place.hpp>

namespace allograph {
inline namespace v0 {

/// What a search for a plan has so far: time, steps, bytes, and the bytes that no plan goes under.
using plan_progress = model::placement_progress;

struct because_the_callback_is_kept_by_reference_name_it_first {};

/// How to plan, written as a chain: `within(100ms).fit(64_MiB)`. Without anything: the heuristics alone, at once.
class plan_options {
public:
    constexpr plan_options() noexcept = default;

    /// Searches for something better for so long, or until nothing better exists.
    [[nodiscard]] constexpr plan_options within(std::chrono::nanoseconds budget) const noexcept {
        plan_options next = *this;
        next.budget_ = budget;
        return next;
    }
    /// Searches for so many steps instead, whatever the time: the same program and seed then give the same plan.
    [[nodiscard]] constexpr plan_options steps(std::uint64_t most) const noexcept {
        plan_options next = *this;
        next.steps_ = most;
        return next;
    }
    /// Of the random tactics of the search; 1 without it.
    [[nodiscard]] constexpr plan_options seed(std::uint64_t number) const noexcept {
        plan_options next = *this;
        next.seed_ = number;
        return next;
    }
    /// What offsets are a multiple of, in bytes, a power of two; 512 without it, as the driver aligns. The alignment of
    /// an element type counts where it is larger.
    [[nodiscard]] constexpr plan_options align(std::uint64_t bytes) const {
        if (bytes == 0 || (bytes & (bytes - 1)) != 0 || bytes > most_alignment) {
            detail::broken_rule("plan", "an alignment is a power of two, of at most 1 GiB");
        }
        plan_options next = *this;
        next.alignment_ = bytes;
        return next;
    }
    /// Adds order to the program, as little as is found, where an arena would take more bytes than this.
    [[nodiscard]] constexpr plan_options fit(std::uint64_t bytes) const noexcept {
        plan_options next = *this;
        next.fit_ = bytes;
        return next;
    }
    /// The device of allocations that name none. `build` knows better, and sets it.
    [[nodiscard]] constexpr plan_options on(device where) const noexcept {
        plan_options next = *this;
        next.where_ = where;
        return next;
    }
    /// @param callback  `bool(const plan_progress&)`, false ends the search; it outlives the call of `plan`
    template <class F>
    [[nodiscard]] constexpr plan_options progress(F& callback) const noexcept {
        plan_options next = *this;
        next.object_ = &callback;
        next.call_ = [](const void* object, const plan_progress& state) {
            return static_cast<bool>((*static_cast<F*>(const_cast<void*>(object)))(state));
        };
        return next;
    }
    template <class F>
    void progress(const F&&, because_the_callback_is_kept_by_reference_name_it_first = {}) const = delete;

    /// What offsets will be a multiple of, in bytes.
    [[nodiscard]] constexpr std::uint64_t alignment() const noexcept { return alignment_; }
    /// The device of allocations that name none.
    [[nodiscard]] constexpr device where() const noexcept { return where_; }
    /// Bytes that each arena should fit, or `unlimited`.
    [[nodiscard]] constexpr std::uint64_t most_bytes() const noexcept { return fit_; }
    static constexpr std::uint64_t unlimited = UINT64_MAX;  ///< no limit: what `most_bytes` says without `fit`

    /// The same for the engine. @param parts  the budget is shared by so many problems
    [[nodiscard]] constexpr model::placement_options for_engine(std::size_t parts = 1) const noexcept {
        const auto share = static_cast<std::int64_t>(parts == 0 ? 1 : parts);
        if (steps_ != 0) {
            return {.budget = std::chrono::hours(24), .max_steps = steps_, .seed = seed_};
        }
        return {.budget = budget_ / share, .max_steps = UINT64_MAX, .seed = seed_};
    }
    /// Tells the callback, if there is one. @return whether to go on
    bool report(const plan_progress& state) const { return call_ == nullptr || call_(object_, state); }

private:
    static constexpr std::uint64_t most_alignment = std::uint64_t{1} << 30U;

    std::chrono::nanoseconds budget_{0};
    std::uint64_t steps_ = 0;
    std::uint64_t seed_ = 1;
    std::uint64_t alignment_ = 512;
    std::uint64_t fit_ = unlimited;
    device where_{};
    const void* object_ = nullptr;
    bool (*call_)(const void*, const plan_progress&) = nullptr;
};

/// Plan options that begin with a budget of time.
[[nodiscard]] constexpr plan_options within(std::chrono::nanoseconds budget) noexcept { return plan_options{}.within(budget); }
/// Plan options that begin with a limit of bytes for each arena.
[[nodiscard]] constexpr plan_options fit(std::uint64_t bytes) noexcept { return plan_options{}.fit(bytes); }

}  // namespace v0
}  // namespace allograph
