#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <allograph/model/misuse.hpp>

namespace allograph {
inline namespace v0 {

/// A device, by its ordinal.
struct device {
    int ordinal = 0;  ///< as the driver counts, from 0 on
    /// Explicit, so that a number is no device by accident.
    constexpr explicit device(int number = 0) noexcept : ordinal(number) {}
    friend constexpr bool operator==(device, device) noexcept = default;
};

struct because_graph_memory_lies_on_a_device_write_device_and_its_ordinal {};
struct because_peers_are_a_device_or_one_range_of_devices_and_read_and_write {};

namespace detail {
template <class R>
concept device_range =
    std::ranges::input_range<R> && std::same_as<std::remove_cvref_t<std::ranges::range_reference_t<R>>, device>;
}  // namespace detail

/// How an allocation node is made, beyond its size: its name in diagnostics, the device that holds it, and the
/// devices that may use it besides. Written as a chain: `named("x").on(device{1}).shared_with(devices)`.
class alloc_options {
public:
    constexpr alloc_options() noexcept = default;

    /// @param label  a string that outlives the graph, shown in diagnostics
    [[nodiscard]] constexpr alloc_options named(const char* label) const noexcept {
        alloc_options next = *this;
        next.label_ = label;
        return next;
    }
    /// The device that holds the memory; without it, the graph's own.
    [[nodiscard]] constexpr alloc_options on(device where) const noexcept {
        alloc_options next = *this;
        next.ordinal_ = where.ordinal;
        return next;
    }
    template <class L, class Reason = because_graph_memory_lies_on_a_device_write_device_and_its_ordinal>
        requires(!std::convertible_to<const L&, device>)
    void on(const L&) const = delete;
    /// Devices whose nodes may read and write the memory as well (rules A9, P1).
    template <detail::device_range R>
    [[nodiscard]] constexpr alloc_options shared_with(R&& devices) const {
        alloc_options next = *this;
        for (const device d : devices) {
            next = next.shared_with(d);
        }
        return next;
    }
    [[nodiscard]] constexpr alloc_options shared_with(device peer) const {
        if (peer.ordinal < 0 || peer.ordinal >= 64) {
            detail::broken_rule("A9", "a peer device's ordinal must be from 0 to 63");
        }
        alloc_options next = *this;
        next.peers_ |= std::uint64_t{1} << static_cast<unsigned>(peer.ordinal);
        return next;
    }
    template <class... P, class Reason = because_peers_are_a_device_or_one_range_of_devices_and_read_and_write>
        requires(sizeof...(P) != 1 || !((std::convertible_to<P, device> || detail::device_range<P>) && ...))
    void shared_with(P&&...) const = delete;

    /// The name in diagnostics, or null.
    [[nodiscard]] constexpr const char* label() const noexcept { return label_; }
    /// True where `on` named a device.
    [[nodiscard]] constexpr bool has_device() const noexcept { return ordinal_ != unset; }
    /// That device; only where there is one.
    [[nodiscard]] constexpr device where() const noexcept { return device{ordinal_}; }
    /// The peer devices as a set: bit n stands for ordinal n.
    [[nodiscard]] constexpr std::uint64_t peers() const noexcept { return peers_; }

private:
    static constexpr int unset = -1'000'000;  // any ordinal that a caller may write, -1 too, is a device to check
    const char* label_ = nullptr;
    int ordinal_ = unset;
    std::uint64_t peers_ = 0;
};

/// Options that begin with a name: `add_alloc<float>(n, ag::named("x"))`.
[[nodiscard]] constexpr alloc_options named(const char* label) noexcept { return alloc_options{}.named(label); }
/// Options that begin with the device that holds the memory.
[[nodiscard]] constexpr alloc_options on(device where) noexcept { return alloc_options{}.on(where); }
template <class L, class Reason = because_graph_memory_lies_on_a_device_write_device_and_its_ordinal>
    requires(!std::convertible_to<const L&, device>)
void on(const L&) = delete;

}  // namespace v0
}  // namespace allograph
