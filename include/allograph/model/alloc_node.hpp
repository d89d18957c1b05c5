#pragma once

#include <allograph/detail/consumed.hpp>
#include <allograph/model/device_span.hpp>
#include <allograph/model/graph_kind.hpp>
#include <allograph/model/source_line.hpp>

namespace allograph {
inline namespace v0 {

struct because_an_allocation_has_one_owner_write_std_move {};
struct because_assigning_over_a_live_allocation_would_leak_it {};
struct because_only_add_alloc_makes_an_allocation {};

namespace detail {

/// Who made an allocation, as its token keeps it: all that a model asks for, or the driver's handle alone.
template <checking Checks>
struct token_origin {
    node_parts parts;
    std::uint32_t number;

    [[nodiscard]] constexpr CUgraphNode_st* handle() const noexcept { return parts.handle; }
    [[nodiscard]] constexpr node made_by() const noexcept { return handle_access::make_node(parts); }
    [[nodiscard]] constexpr allocation_ref allocation() const noexcept { return {parts.graph, number}; }
    [[nodiscard]] constexpr bool spent() const noexcept { return parts.index == spent_index; }
    constexpr void spend() noexcept {
        parts.handle = nullptr;
        parts.index = spent_index;
    }
};
template <>
struct token_origin<checking::off> {
    constexpr token_origin(const node_parts& parts, std::uint32_t) noexcept : handle_(parts.handle) {}

    [[nodiscard]] constexpr CUgraphNode_st* handle() const noexcept { return handle_; }
    [[nodiscard]] constexpr node made_by() const noexcept { return node(handle_); }
    [[nodiscard]] constexpr allocation_ref allocation() const noexcept { return {}; }
    [[nodiscard]] constexpr bool spent() const noexcept { return handle_ == nullptr; }
    constexpr void spend() noexcept { handle_ = nullptr; }

private:
    CUgraphNode_st* handle_;
};

}  // namespace detail

/// The token of one allocation of a memory graph: whoever holds it must give it a fate, once. A free in its graph
/// or in another, an output of the executable, or auto-free take the token by move (rules F1 to F5).
///
/// It stands as a dependency wherever a node is asked for. Its address is fixed for the life of the graph, and no
/// memory is mapped before the first launch or upload (rules A1, M1). Move-only; a spent token throws
/// `misuse` [F9] when asked for anything.
/// @tparam Checks  as its graph's; without checks a token is its handle, its address and its count, in 24 bytes
template <class T, checking Checks = checking::on>
class [[nodiscard("an allocation needs a fate: add_free, outputs or auto_free")]] ALLOGRAPH_DETAIL_CONSUMABLE alloc_node {
    static_assert(device_element<T>,
                  "[A14] device memory holds trivially copyable values, no reference, not const, alignment at most 512");

public:
    using element_type = T;  ///< never const

    template <class Reason = because_only_add_alloc_makes_an_allocation>
    alloc_node() = delete;
    template <class M, class Reason = because_only_add_alloc_makes_an_allocation>
        requires(!std::same_as<M, alloc_node>)
    explicit alloc_node(const M&) = delete;
    constexpr alloc_node(alloc_node&& other) noexcept : origin_(other.origin_), address_(other.address_), count_(other.count_) {
        other.origin_.spend();
    }
    alloc_node(const alloc_node&, because_an_allocation_has_one_owner_write_std_move = {}) = delete;
    template <class Reason = because_assigning_over_a_live_allocation_would_leak_it>
    alloc_node& operator=(alloc_node&&) = delete;
    constexpr ~alloc_node() {}  // user-provided: the consumed analysis wants one

    /// The allocation node itself; nodes that use the memory come after it (rule O1).
    constexpr operator node() const noexcept { return origin_.made_by(); }
    /// The driver's handle.
    [[nodiscard]] constexpr CUgraphNode_st* get() const noexcept { return origin_.handle(); }

    /// The first element's address. @throws misuse [F9]
    ALLOGRAPH_DETAIL_WHEN_UNCONSUMED [[nodiscard]] constexpr device_ptr<T> data() const {
        live();
        return detail::handle_access::make<device_ptr<T>>(address_, count_, allocation());
    }
    /// All elements. @throws misuse [F9]
    ALLOGRAPH_DETAIL_WHEN_UNCONSUMED [[nodiscard]] constexpr device_span<T> span() const {
        return detail::handle_access::make<device_span<T>>(data(), count_, detail::within_bounds{});
    }
    /// Elements.
    [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
    /// Bytes, as asked for; the driver rounds up to 512.
    [[nodiscard]] constexpr std::size_t size_bytes() const noexcept { return count_ * sizeof(T); }
    /// The graph that made it, and its number there; unknown where the graph does not check.
    [[nodiscard]] constexpr allocation_ref allocation() const noexcept { return origin_.allocation(); }

    /// True when the allocation was moved away or has its fate.
    [[nodiscard]] constexpr bool spent() const noexcept { return origin_.spent(); }

private:
    friend struct detail::handle_access;

    ALLOGRAPH_DETAIL_RETURNS_UNCONSUMED constexpr alloc_node(const node& n, std::uint64_t address, std::size_t count,
                                                             std::uint32_t allocation) noexcept
        : origin_{detail::handle_access::parts(n), allocation}, address_(address), count_(count) {}

    constexpr void spend() noexcept { origin_.spend(); }
    constexpr void live() const {
        if (spent()) {
            detail::broken_rule("F9", "the allocation was moved away or is freed already: this token is spent");
        }
    }

    detail::token_origin<Checks> origin_;
    std::uint64_t address_;
    std::size_t count_;
};

}  // namespace v0
}  // namespace allograph
