#pragma once

#include <concepts>
#include <cstdint>
#include <span>

struct CUgraphNode_st;  // CUgraphNode is a pointer to it; the model needs no CUDA header

namespace allograph {
inline namespace v0 {

namespace detail {
struct handle_access;  // the one door to the private parts of handles, for the layers of this library

/// What a `node` holds, trivial, so that an array of them may stay uninitialised.
struct node_parts {
    CUgraphNode_st* handle;
    std::uint32_t graph;
    std::uint32_t index;
};
}  // namespace detail

/// A node of one graph: the driver's handle and the node's place in the graph that made it.
///
/// A default node is no node (rule D4). A node does not own: it is valid as long as its graph. Knowing its graph
/// and its place makes the check of a dependency (rules D2 to D4) cost a compare instead of a look-up, and lets
/// the model make nodes in constant expressions, where no driver gives handles.
class node {
public:
    constexpr node() noexcept = default;

    /// A node from the driver's handle, found again in the graph that it is used with.
    constexpr explicit node(CUgraphNode_st* handle) noexcept : parts_{handle, 0, 0} {}

    /// The driver's handle; null for a default node and in the model.
    [[nodiscard]] constexpr CUgraphNode_st* get() const noexcept { return parts_.handle; }

    /// True for one node; two default nodes are equal.
    friend constexpr bool operator==(const node& a, const node& b) noexcept {
        return a.parts_.handle == b.parts_.handle &&
               (a.parts_.handle != nullptr || (a.parts_.graph == b.parts_.graph && a.parts_.index == b.parts_.index));
    }

private:
    friend struct detail::handle_access;
    constexpr explicit node(const detail::node_parts& parts) noexcept : parts_(parts) {}

    detail::node_parts parts_{nullptr, 0, 0};
};

/// What a node does when it runs.
enum class node_kind : std::uint8_t {
    alloc,             ///< makes an allocation usable
    free,              ///< ends one
    memset,            ///< sets elements
    memcpy,            ///< copies elements
    kernel,            ///< runs a kernel
    host,              ///< calls a function of the host
    empty,             ///< joins what it depends on
    child,             ///< runs a graph
    conditional,       ///< runs one of its bodies, or none
    event_record,      ///< records an event
    event_wait,        ///< waits for one
    semaphore_signal,  ///< signals external semaphores
    semaphore_wait,    ///< waits for them
    batch_mem_op,      ///< runs memory operations
    captured           ///< runs what a callable put on a stream
};

/// A node of known kind, as the `add_` members return it. It is a `node` wherever one is asked for.
template <node_kind Kind>
class typed_node : public node {
public:
    /// A node that the caller knows to be of this kind.
    constexpr explicit typed_node(const node& n) noexcept : node(n) {}
    static constexpr node_kind kind = Kind;  ///< what it does
};

/// A node that frees an allocation.
using free_node = typed_node<node_kind::free>;
/// A node that sets elements.
using memset_node = typed_node<node_kind::memset>;
/// A node that copies elements.
using memcpy_node = typed_node<node_kind::memcpy>;
/// A node that runs a kernel.
using kernel_node = typed_node<node_kind::kernel>;
/// A node that calls a function of the host.
using host_node = typed_node<node_kind::host>;
/// A node that does nothing but join.
using empty_node = typed_node<node_kind::empty>;
/// A node that comes after what was captured, and stands for all of it.
using captured_node = typed_node<node_kind::captured>;

/// What may stand as a dependency: `node`, every typed node, `alloc_node<T>`, and the driver's `CUgraphNode`.
template <class H>
concept node_handle = std::convertible_to<const H&, node> || std::same_as<H, CUgraphNode_st*>;

/// Any input range of node handles: vectors, arrays, spans, lists, views.
template <class R>
concept node_range = std::ranges::input_range<R> && node_handle<std::remove_cvref_t<std::ranges::range_reference_t<R>>>;

namespace detail {

/// An array of nodes as C passes it, without its length.
template <class P>
concept node_pointer =
    std::same_as<P, decltype(nullptr)> || (std::is_pointer_v<P> && node_handle<std::remove_cv_t<std::remove_pointer_t<P>>>);

inline constexpr std::uint32_t model_graph_id =
    0xFFFFFFFFu;  // of graphs that exist in the model alone; graphs of the driver count from 1
inline constexpr std::uint32_t spent_index = 0xFFFFFFFFu;  // the index that a spent token shows (rule F9)

struct handle_access {
    static constexpr node make_node(CUgraphNode_st* handle, std::uint32_t graph, std::uint32_t index) noexcept {
        return node(node_parts{handle, graph, index});
    }
    static constexpr node make_node(const node_parts& parts) noexcept { return node(parts); }
    static constexpr const node_parts& parts(const node& n) noexcept { return n.parts_; }

    template <class Token, class... Args>
    static constexpr Token make(Args&&... args) {
        return Token(static_cast<Args&&>(args)...);
    }
    template <class Token>
    static constexpr void spend(Token& token) noexcept {
        token.spend();
    }
};

template <node_handle H>
constexpr node to_node(const H& handle) noexcept {
    if constexpr (std::same_as<H, CUgraphNode_st*>) {
        return node(handle);
    } else {
        return static_cast<node>(handle);
    }
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
