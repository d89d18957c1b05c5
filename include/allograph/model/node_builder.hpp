#pragma once

#include <bit>
#include <tuple>

#include <allograph/model/alloc_node.hpp>
#include <allograph/model/dependencies.hpp>
#include <allograph/model/graph_kind.hpp>
#include <allograph/model/kernel.hpp>
#include <allograph/model/launch_config.hpp>
#include <allograph/model/requests.hpp>

struct CUstream_st;  // CUstream is a pointer to it

namespace allograph {
inline namespace v0 {

/// The value zero of any type, for `add_memset`.
struct zero_t {
    explicit constexpr zero_t() = default;
};
/// `g.add_memset(ag::after(x), x.span(), ag::zero)`
inline constexpr zero_t zero{};

struct because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph {};
struct because_the_free_spends_the_allocation_write_std_move {};
struct because_only_an_alloc_node_can_be_freed {};
struct because_only_graphs_that_both_check_or_both_do_not_share_allocations {};
struct because_device_memory_holds_trivially_copyable_values_not_const_aligned_to_at_most_512 {};
struct because_only_values_of_1_2_or_4_bytes_can_be_set_write_allograph_zero_or_a_kernel {};
struct because_a_memset_writes_and_this_span_is_const {};
struct because_a_memset_sets_a_device_span_write_span {};
struct because_a_memset_sets_values_of_the_element_type {};
struct because_an_allocation_has_an_element_type_write_add_alloc_of_it {};
struct because_an_allocation_is_a_count_of_elements {};
struct because_the_options_of_an_allocation_are_named_on_and_shared_with {};
struct because_a_kernel_has_a_signature_write_kernel_of_it {};
struct because_a_launch_config_comes_before_the_arguments_write_grid_for {};
struct because_what_a_host_node_touches_is_said_in_uses {};
struct because_the_body_of_a_conditional_holds_no_host_node {};
struct because_an_edge_joins_two_nodes_write_what_the_add_members_return {};
struct because_an_edge_carries_no_data_leave_it_out {};
struct because_memcpy_takes_device_spans_and_contiguous_host_ranges_of_one_element_type {};
struct because_the_host_memory_must_outlive_every_launch_name_it_first {};
struct because_the_arguments_do_not_match_the_kernel_signature_in_count_or_type {};
struct because_a_host_node_calls_a_function_without_arguments {};
struct because_captured_work_takes_a_CUstream_and_returns_nothing_check_each_status_inside {};
struct because_what_captured_work_touches_is_said_in_uses {};
struct because_work_is_captured_into_a_graph_of_its_own_not_a_child_or_a_body {};

namespace detail {

template <class S>
inline constexpr bool is_device_span = false;
template <class T>
inline constexpr bool is_device_span<device_span<T>> = true;

template <class H>
concept host_range = !is_device_span<std::remove_cvref_t<H>> && std::ranges::contiguous_range<H> && std::ranges::sized_range<H>;

template <class M>
struct copy_element {};
template <class T>
struct copy_element<device_span<T>> {
    using type = T;
};
template <host_range H>
struct copy_element<H> {
    using type = std::remove_reference_t<std::ranges::range_reference_t<H>>;
};
template <class M>
using copy_element_t =
    typename copy_element<std::conditional_t<is_device_span<std::remove_cvref_t<M>>, std::remove_cvref_t<M>, M>>::type;

/// A pair that a memcpy node can copy: one element type, a target that is not const, at least one side a device's.
template <class Dst, class Src>
concept copies =
    (is_device_span<std::remove_cvref_t<Dst>> || is_device_span<std::remove_cvref_t<Src>>) &&
    !std::is_const_v<copy_element_t<Dst>> && std::same_as<copy_element_t<Dst>, std::remove_const_t<copy_element_t<Src>>>;

/// A span that a memset node can fill with such a value.
template <class T, class V>
concept sets =
    !std::is_const_v<T> &&
    (std::same_as<V, zero_t> || ((sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4) && std::convertible_to<const V&, T>));
template <class T, class V>
using why_not_set = std::conditional_t<
    std::is_const_v<T>, because_a_memset_writes_and_this_span_is_const,
    std::conditional_t<sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4, because_a_memset_sets_values_of_the_element_type,
                       because_only_values_of_1_2_or_4_bytes_can_be_set_write_allograph_zero_or_a_kernel>>;

template <class M>
concept outlives_the_call = is_device_span<std::remove_cvref_t<M>> || std::ranges::borrowed_range<M>;

template <class Dst, class Src>
concept copies_for_good = copies<Dst, Src> && outlives_the_call<Dst> && outlives_the_call<Src>;
template <class Dst, class Src>
using why_not_copied = std::conditional_t<copies<Dst, Src>, because_the_host_memory_must_outlive_every_launch_name_it_first,
                                          because_memcpy_takes_device_spans_and_contiguous_host_ranges_of_one_element_type>;

template <class M>
inline constexpr bool is_alloc_node = false;
template <class T, checking C>
inline constexpr bool is_alloc_node<alloc_node<T, C>> = true;
template <class M>
inline constexpr checking checking_of = checking::on;
template <class T, checking C>
inline constexpr checking checking_of<alloc_node<T, C>> = C;
template <class M, checking Checks>
using why_not_freed =
    std::conditional_t<!is_alloc_node<M>, because_only_an_alloc_node_can_be_freed,
                       std::conditional_t<checking_of<M> == Checks, because_the_free_spends_the_allocation_write_std_move,
                                          because_only_graphs_that_both_check_or_both_do_not_share_allocations>>;

template <class K>
inline constexpr bool is_kernel = false;
template <class... Params>
inline constexpr bool is_kernel<kernel<void(Params...)>> = true;

template <class U>
inline constexpr std::size_t declared_uses = 0;
template <std::size_t N>
inline constexpr std::size_t declared_uses<use_list<N>> = N;
template <class U>
inline constexpr bool is_use_list = false;
template <std::size_t N>
inline constexpr bool is_use_list<use_list<N>> = true;

template <class Kernel, class... Args>
struct matches;
template <class... Params, class... Args>
struct matches<kernel<void(Params...)>, Args...> {
    template <std::size_t... I>
    static constexpr bool each(std::index_sequence<I...>) {
        return (kernel_argument<Params, std::tuple_element_t<I, std::tuple<Args...>>> && ...);
    }
    static constexpr bool value() {
        if constexpr (sizeof...(Args) == sizeof...(Params)) {
            return each(std::make_index_sequence<sizeof...(Params)>{});
        } else if constexpr (sizeof...(Args) == sizeof...(Params) + 1) {
            using last = std::remove_cvref_t<std::tuple_element_t<sizeof...(Params), std::tuple<Args...>>>;
            return is_use_list<last> && each(std::make_index_sequence<sizeof...(Params)>{});
        } else {
            return false;
        }
    }
};
/// The arguments fit the kernel's parameters, in number and in type; `uses(...)` may follow them.
template <class Kernel, class... Args>
concept arguments_match = matches<Kernel, Args...>::value();

template <class T>
constexpr copy_side side_of(const device_span<T>& span, access how) noexcept {
    return {.address = span.data().address(), .on_device = true, .use = {span.allocation(), how}};
}
template <host_range H>
constexpr copy_side side_of(H&& range, access) noexcept {
    return {.host = std::ranges::data(range)};
}
template <class T>
constexpr std::size_t elements_of(const device_span<T>& span) noexcept {
    return span.size();
}
template <host_range H>
constexpr std::size_t elements_of(H&& range) noexcept {
    return static_cast<std::size_t>(std::ranges::size(range));
}

/// What puts work on a stream.
template <class F>
concept stream_work = std::is_invocable_v<F&, CUstream_st*> && std::is_void_v<std::invoke_result_t<F&, CUstream_st*>>;

}  // namespace detail

/// The members that add nodes: one typed surface for every kind of graph and for the model, so that one program
/// can be verified, planned and built. `Derived` supplies an `emit_` member for each node kind.
///
/// Every member takes its dependencies first, as any range of node handles of this graph, each once; without
/// them the node is a root. All throw `misuse` [D2] [D3] [D4] for dependencies, [F9] for a spent token,
/// [O1] [O2] [X9] for memory used outside of its lifetime, and `driver_error`; a member that throws changed
/// neither graph nor token.
/// @tparam Checks  whether it is checked that memory is used within its lifetime; without, tokens are smaller
template <class Derived, graph_kind Kind, checking Checks = checking::on>
class node_builder {
public:
    static constexpr graph_kind kind = Kind;                    ///< of this graph
    static constexpr capabilities can = capabilities_of(Kind);  ///< what such a graph may do
    /// What `add_alloc<T>` returns.
    template <class T>
    using token_of = alloc_node<T, Checks>;

    /// Adds an allocation of `count` elements of `T`, usable by nodes ordered after it and before its free.
    /// @param count  elements, at least 1
    /// @return the allocation; it must be freed, become an output, or go to another graph
    /// @throws misuse [A2] [A3] [A6] [A9] [A11]
    /// @post the address is fixed for the life of the graph; no memory is mapped before the first launch or upload
    /// Driver: cuGraphAddMemAllocNode
    template <class T>
        requires(can.memory_nodes && device_element<T>)
    [[gnu::always_inline]] constexpr alloc_node<T, Checks> add_alloc(const dependencies& deps, std::size_t count,
                                                                     const alloc_options& options = {}) {
        if (count == 0) {
            detail::broken_rule("A2", "an allocation of 0 elements", deps.where());
        }
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) {
            detail::broken_rule("A3", "an allocation of more bytes than std::size_t holds: count * sizeof(T) overflows",
                                deps.where());
        }
        const alloc_result made =
            self().emit_alloc(deps, alloc_request{count * sizeof(T), count, alignof(T), detail::type_name<T>(), options});
        return detail::handle_access::make<alloc_node<T, Checks>>(made.made, made.address, count, made.allocation);
    }
    template <class T>
        requires(can.memory_nodes && device_element<T>)
    constexpr alloc_node<T, Checks> add_alloc(std::size_t count, const alloc_options& options = {},
                                              const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return add_alloc<T>(dependencies({}, file, line), count, options);
    }
    template <class T, class... Args, class Reason = because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph>
        requires(!can.memory_nodes)
    void add_alloc(const Args&...) = delete;
    template <class T, class... Args,
              class Reason = because_device_memory_holds_trivially_copyable_values_not_const_aligned_to_at_most_512>
        requires(can.memory_nodes && !device_element<T>)
    void add_alloc(const Args&...) = delete;
    template <class T, class Count, class Reason = because_an_allocation_is_a_count_of_elements>
        requires(can.memory_nodes && device_element<T> && !std::convertible_to<const Count&, std::size_t>)
    void add_alloc(const dependencies&, const Count&) = delete;
    template <class T, class O, class Reason = because_the_options_of_an_allocation_are_named_on_and_shared_with>
        requires(can.memory_nodes && device_element<T> && !std::convertible_to<const O&, alloc_options>)
    void add_alloc(const dependencies&, std::size_t, const O&) = delete;
    template <class T, std::integral Count, class O,
              class Reason = because_the_options_of_an_allocation_are_named_on_and_shared_with>
        requires(can.memory_nodes && device_element<T> && !std::convertible_to<const O&, alloc_options>)
    void add_alloc(Count, const O&) = delete;
    template <class T, detail::node_pointer P, class... Args,
              class Reason = because_a_pointer_has_no_count_write_a_span_or_a_range>
        requires(can.memory_nodes && device_element<T>)
    void add_alloc(P, std::size_t, std::size_t, const Args&...) = delete;
    void add_alloc(std::size_t, because_an_allocation_has_an_element_type_write_add_alloc_of_it = {}) = delete;
    void add_alloc(const dependencies&, std::size_t,
                   because_an_allocation_has_an_element_type_write_add_alloc_of_it = {}) = delete;

    /// Frees an allocation, of this graph or of another, after the nodes that use it (rules O3, O4). Where this graph dies before
    /// it is launched, the memory of another goes back to the executable that allocates it, which frees it before its next
    /// launch and when it dies.
    /// @param token  spent on success
    /// @throws misuse [O3] [O4] [F9]
    /// Driver: cuGraphAddMemFreeNode
    template <class T>
        requires(can.memory_nodes)
    [[gnu::always_inline]] constexpr free_node add_free(const dependencies& deps, alloc_node<T, Checks>&& token) {
        const free_node made(self().emit_free(deps, free_request{token, token.allocation(), token.data().address()}));
        detail::handle_access::spend(token);
        return made;
    }
    template <class T>
        requires(can.memory_nodes)
    constexpr free_node add_free(alloc_node<T, Checks>&& token, const char* file = __builtin_FILE(),
                                 unsigned line = __builtin_LINE()) {
        return add_free(dependencies({}, file, line), static_cast<alloc_node<T, Checks>&&>(token));
    }
    template <class M, class Reason = detail::why_not_freed<M, Checks>>
        requires(can.memory_nodes)
    void add_free(const dependencies&, const M&) = delete;
    template <class M, class Reason = detail::why_not_freed<M, Checks>>
        requires(can.memory_nodes)
    void add_free(const M&) = delete;
    template <detail::node_pointer P, class M, class Reason = because_a_pointer_has_no_count_write_a_span_or_a_range>
        requires(can.memory_nodes)
    void add_free(P, std::size_t, M&&) = delete;
    template <class M, class Reason = because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph>
        requires(!can.memory_nodes)
    void add_free(const dependencies&, const M&) = delete;
    template <class M, class Reason = because_this_kind_of_graph_cannot_hold_allocations_use_memory_graph>
        requires(!can.memory_nodes)
    void add_free(const M&) = delete;

    /// Sets every element of `memory`.
    /// @param value  of 1, 2 or 4 bytes; `allograph::zero` for any type
    /// @throws misuse [O5] for an empty span
    /// Driver: cuGraphAddMemsetNode
    template <class T>
        requires(!std::is_const_v<T> && (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4))
    constexpr memset_node add_memset(const dependencies& deps, const device_span<T>& memory,
                                     const std::type_identity_t<T>& value) {
        std::uint32_t bits = 0;
        if constexpr (sizeof(T) == 1) {
            bits = std::bit_cast<std::uint8_t>(value);
        } else if constexpr (sizeof(T) == 2) {
            bits = std::bit_cast<std::uint16_t>(value);
        } else {
            bits = std::bit_cast<std::uint32_t>(value);
        }
        return set(deps, memory, sizeof(T), memory.size(), bits);
    }
    template <class T>
        requires(!std::is_const_v<T>)
    constexpr memset_node add_memset(const dependencies& deps, const device_span<T>& memory, zero_t) {
        constexpr std::size_t unit = sizeof(T) % 4 == 0 ? 4 : sizeof(T) % 2 == 0 ? 2 : 1;
        return set(deps, memory, unit, memory.size_bytes() / unit, 0);
    }
    template <class T, class V>
        requires(detail::sets<T, V>)
    constexpr memset_node add_memset(const device_span<T>& memory, const V& value, const char* file = __builtin_FILE(),
                                     unsigned line = __builtin_LINE()) {
        return add_memset(dependencies({}, file, line), memory, value);
    }
    template <class T, class V, class Reason = detail::why_not_set<T, V>>
        requires(!detail::sets<T, V>)
    void add_memset(const dependencies&, const device_span<T>&, const V&) = delete;
    template <class T, class V, class Reason = detail::why_not_set<T, V>>
        requires(!detail::sets<T, V>)
    void add_memset(const device_span<T>&, const V&) = delete;
    template <class M, class V, class Reason = because_a_memset_sets_a_device_span_write_span>
        requires(!detail::is_device_span<M>)
    void add_memset(const dependencies&, const M&, const V&) = delete;
    template <class M, class V, class Reason = because_a_memset_sets_a_device_span_write_span>
        requires(!detail::is_device_span<M>)
    void add_memset(const M&, const V&) = delete;
    template <detail::node_pointer P, class M, class V, class Reason = because_a_pointer_has_no_count_write_a_span_or_a_range>
    void add_memset(P, std::size_t, const M&, const V&) = delete;

    /// Copies between device spans, or between a device span and contiguous host memory, which must outlive every
    /// launch. Both sides hold the same number of elements of one type.
    /// @throws misuse [O5] when the sizes differ or are 0
    /// Driver: cuGraphAddMemcpyNode
    template <class Dst, class Src>
        requires(detail::copies_for_good<Dst, Src>)
    constexpr memcpy_node add_memcpy(const dependencies& deps, Dst&& to, Src&& from) {
        const std::size_t count = detail::elements_of(to);
        if (count != detail::elements_of(from)) {
            detail::broken_rule(
                "O5", "a copy between memories of different sizes: take the part that is meant with first() or subspan()",
                deps.where());
        }
        if (count == 0) {
            detail::broken_rule("O5", "a copy of 0 elements", deps.where());
        }
        using element = detail::copy_element_t<Dst>;
        return memcpy_node(
            self().emit_memcpy(deps, memcpy_request{detail::side_of(to, access::write), detail::side_of(from, access::read),
                                                    count * sizeof(element)}));
    }
    template <class Dst, class Src>
        requires(detail::copies_for_good<Dst, Src>)
    constexpr memcpy_node add_memcpy(Dst&& to, Src&& from, const char* file = __builtin_FILE(),
                                     unsigned line = __builtin_LINE()) {
        return add_memcpy(dependencies({}, file, line), to, from);
    }
    template <class Dst, class Src, class Reason = detail::why_not_copied<Dst, Src>>
        requires(!detail::copies_for_good<Dst, Src>)
    void add_memcpy(const dependencies&, Dst&&, Src&&) = delete;
    template <class Dst, class Src, class Reason = detail::why_not_copied<Dst, Src>>
        requires(!detail::copies_for_good<Dst, Src>)
    void add_memcpy(Dst&&, Src&&) = delete;
    template <detail::node_pointer P, class Dst, class Src, class Reason = because_a_pointer_has_no_count_write_a_span_or_a_range>
    void add_memcpy(P, std::size_t, Dst&&, Src&&) = delete;

    /// Runs a kernel. A `device_ptr<T>` passes as `T*` or `const T*`; whole numbers pass where their value fits;
    /// nothing else converts. `uses(...)` may follow the arguments, for memory behind raw pointers.
    /// @throws misuse [argument] for a whole number that does not fit, [grid] for a cluster that does not divide the grid
    /// Driver: cuGraphAddKernelNode_v2
    template <class... Params, class... Args>
        requires(detail::arguments_match<kernel<void(Params...)>, Args...>)
    constexpr kernel_node add_kernel(const dependencies& deps, const kernel<void(Params...)>& function,
                                     const launch_config& config, const Args&... args) {
        return launch(deps, function, config, std::make_index_sequence<sizeof...(Params)>{}, std::tuple<const Args&...>(args...));
    }
    template <class... Params, class... Args>
        requires(detail::arguments_match<kernel<void(Params...)>, Args...>)
    constexpr kernel_node add_kernel(const kernel<void(Params...)>& function, const detail::located<launch_config>& config,
                                     const Args&... args) {
        return add_kernel(dependencies({}, config.where.file, config.where.line), function, config.value, args...);
    }
    template <class... Params, class... Args,
              class Reason = because_the_arguments_do_not_match_the_kernel_signature_in_count_or_type>
        requires(!detail::arguments_match<kernel<void(Params...)>, Args...>)
    void add_kernel(const dependencies&, const kernel<void(Params...)>&, const launch_config&, const Args&...) = delete;
    template <class... Params, class... Args,
              class Reason = because_the_arguments_do_not_match_the_kernel_signature_in_count_or_type>
        requires(!detail::arguments_match<kernel<void(Params...)>, Args...>)
    void add_kernel(const kernel<void(Params...)>&, const launch_config&, const Args&...) = delete;
    template <class... Params, class C, class... Args,
              class Reason = because_a_launch_config_comes_before_the_arguments_write_grid_for>
        requires(!std::convertible_to<const C&, launch_config>)
    void add_kernel(const dependencies&, const kernel<void(Params...)>&, const C&, const Args&...) = delete;
    template <class K, class C, class... Args, class Reason = because_a_launch_config_comes_before_the_arguments_write_grid_for>
        requires(detail::is_kernel<K> && !std::convertible_to<const C&, launch_config>)
    void add_kernel(const K&, const C&, const Args&...) = delete;
    template <class F, class... Args, class Reason = because_a_kernel_has_a_signature_write_kernel_of_it>
        requires(!detail::is_kernel<F>)
    void add_kernel(const dependencies&, const F&, const launch_config&, const Args&...) = delete;
    template <detail::node_pointer P, class... Params, class... Args,
              class Reason = because_a_pointer_has_no_count_write_a_span_or_a_range>
    void add_kernel(P, std::size_t, const kernel<void(Params...)>&, const Args&...) = delete;

    /// Calls a function of the host. It lives as long as the graph and its executables; it must not call CUDA
    /// (rule C14) nor throw. `uses(...)` may follow, for memory that it reads or writes.
    /// Driver: cuGraphAddHostNode, cuUserObjectCreate, cuGraphRetainUserObject
    template <class F, std::size_t N = 0>
        requires(can.every_node && std::is_invocable_v<std::decay_t<F>&>)
    constexpr host_node add_host(const dependencies& deps, F&& function, const use_list<N>& touched = {}) {
        return host_node(
            self().emit_host(deps, std::span<const memory_use>(touched.items.data(), N), static_cast<F&&>(function)));
    }
    template <class F>
        requires(can.every_node && std::is_invocable_v<std::decay_t<F>&>)
    constexpr host_node add_host(F&& function, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return add_host(dependencies({}, file, line), static_cast<F&&>(function));
    }
    template <class F, class Reason = because_a_host_node_calls_a_function_without_arguments>
        requires(can.every_node && !std::is_invocable_v<std::decay_t<F>&>)
    void add_host(const dependencies&, F&&) = delete;
    template <class F, class Reason = because_a_host_node_calls_a_function_without_arguments>
        requires(can.every_node && !std::is_invocable_v<std::decay_t<F>&>)
    void add_host(F&&) = delete;
    template <class First, class... Rest, class Data, class Reason = because_a_host_node_calls_a_function_without_arguments>
        requires(can.every_node)
    void add_host(void (*)(First, Rest...), Data&&) = delete;
    template <class F, class Reason = because_what_a_host_node_touches_is_said_in_uses>
        requires(can.every_node)
    void add_host(const dependencies&, F&&, const memory_use&) = delete;
    template <detail::node_pointer P, class F, class Reason = because_a_pointer_has_no_count_write_a_span_or_a_range>
        requires(can.every_node)
    void add_host(P, std::size_t, F&&) = delete;
    template <class... Args, class Reason = because_the_body_of_a_conditional_holds_no_host_node>
        requires(!can.every_node)
    void add_host(const Args&...) = delete;

    /// Runs what a callable puts on a stream, for library calls that only know streams: it is called at once, under a capture
    /// into this graph, and never where a program is only verified or planned. Graphs of the driver need allograph/capture.hpp.
    /// @param work     `void(CUstream)`; memory that it allocates on the stream it frees there, streams that it forks it joins
    /// @param touched  `uses(...)`: all that the work reads and writes, which models and plans cannot see
    /// @return a node that comes after all of the work
    /// @throws misuse [O1] [O2] [O3] [O4] [F1] for the captured nodes as well; driver_error [C13]; what the work throws. Once the
    ///         capture has begun nothing is undone: the graph refuses to be instantiated, or the driver has destroyed it
    /// Driver: cuStreamCreate, cuStreamBeginCaptureToGraph, cuStreamEndCapture, cuGraphAddEmptyNode where streams joined
    template <class F, std::size_t N>
        requires(can.every_node && can.instantiable && detail::stream_work<F>)
    constexpr captured_node add_captured(const dependencies& deps, F&& work, const use_list<N>& touched) {
        return captured_node(self().emit_captured(deps, std::span<const memory_use>(touched.items.data(), N), work));
    }
    template <class F, std::size_t N,
              class Reason = because_captured_work_takes_a_CUstream_and_returns_nothing_check_each_status_inside>
        requires(can.every_node && can.instantiable && !detail::stream_work<F>)
    void add_captured(const dependencies&, F&&, const use_list<N>&) = delete;
    template <class F, class Reason = because_what_captured_work_touches_is_said_in_uses>
        requires(can.every_node && can.instantiable)
    void add_captured(const dependencies&, F&&) = delete;
    template <class... Args, class Reason = because_work_is_captured_into_a_graph_of_its_own_not_a_child_or_a_body>
        requires(!can.every_node || !can.instantiable)
    void add_captured(const Args&...) = delete;

    /// Adds a node that does nothing: it joins what it depends on.
    /// Driver: cuGraphAddEmptyNode
    constexpr empty_node add_empty(const dependencies& deps) { return empty_node(self().emit_empty(deps)); }
    constexpr empty_node add_empty(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return add_empty(dependencies({}, file, line));
    }
    template <class P, class Reason = because_a_pointer_has_no_count_write_a_span_or_a_range>
        requires(detail::node_pointer<P> || std::integral<P>)
    void add_empty(const P&, std::size_t = 0) = delete;

    /// Adds an edge between nodes that are there: `to` runs after `from`.
    /// @throws misuse [D3] [D4] [D6] for an edge that is there already, [D7] for a cycle
    /// Driver: cuGraphAddDependencies_v2
    template <node_handle From, node_handle To>
    constexpr void add_dependency(const From& from, const To& to, const char* file = __builtin_FILE(),
                                  unsigned line = __builtin_LINE()) {
        self().emit_dependency(detail::to_node(from), detail::to_node(to), source_line{file, line});
    }
    template <class From, class To, class Reason = because_an_edge_joins_two_nodes_write_what_the_add_members_return>
        requires(!node_handle<From> || !node_handle<To>)
    void add_dependency(const From&, const To&) = delete;
    template <node_handle From, node_handle To, class Data, class Reason = because_an_edge_carries_no_data_leave_it_out>
        requires(!std::convertible_to<const Data&, const char*>)
    void add_dependency(const From&, const To&, const Data&) = delete;

protected:
    constexpr node_builder() = default;
    constexpr node_builder(node_builder&&) = default;
    constexpr node_builder& operator=(node_builder&&) = default;
    constexpr ~node_builder() = default;

private:
    constexpr Derived& self() noexcept { return static_cast<Derived&>(*this); }

    template <class T>
    [[gnu::always_inline]] constexpr memset_node set(const dependencies& deps, const device_span<T>& memory, std::size_t unit,
                                                     std::size_t count, std::uint32_t bits) {
        if (count == 0) {
            detail::broken_rule("O5", "a memset of 0 elements", deps.where());
        }
        return memset_node(self().emit_memset(
            deps, memset_request{memory.data().address(), unit, count, bits, {memory.allocation(), access::write}}));
    }

    template <class... Params, std::size_t... I, class Tuple>
    [[gnu::always_inline]] constexpr kernel_node launch(const dependencies& deps, const kernel<void(Params...)>& function,
                                                        const launch_config& config, std::index_sequence<I...>,
                                                        const Tuple& args) {
        constexpr std::size_t given = std::tuple_size_v<Tuple>;
        constexpr std::size_t declared = [] {
            if constexpr (given > sizeof...(Params)) {
                return detail::declared_uses<std::remove_cvref_t<std::tuple_element_t<sizeof...(Params), Tuple>>>;
            } else {
                return std::size_t{0};
            }
        }();
        std::array<memory_use, sizeof...(Params) + declared> touched{detail::use_of_argument<Params>(std::get<I>(args))...};
        if constexpr (declared > 0) {
            for (std::size_t i = 0; i < declared; ++i) {
                touched[sizeof...(Params) + i] = std::get<sizeof...(Params)>(args).items[i];
            }
        }
        return kernel_node(self().emit_kernel(deps, std::span<const memory_use>(touched.data(), touched.size()), function, config,
                                              std::get<I>(args)...));
    }
};

}  // namespace v0
}  // namespace allograph
