#pragma once

#include <concepts>
#include <type_traits>

#include <allograph/graph/stream.hpp>
#include <allograph/model/outputs.hpp>

namespace allograph {
inline namespace v0 {

/// Uploads the executable on a stream as part of instantiating it: its memory is mapped then, not at the first launch.
struct upload_to {
    stream_ref stream;  ///< where the upload is ordered
};

/// Lets the priority attributes of nodes count instead of the launching stream's.
struct use_node_priorities_t {
    explicit constexpr use_node_priorities_t() = default;
};
/// Option of `instantiate`.
inline constexpr use_node_priorities_t use_node_priorities{};

/// Makes an executable that kernels can launch: plain graphs alone (rules G7, G8).
struct device_launch_t {
    explicit constexpr device_launch_t() = default;
};
/// Option of `instantiate` of a plain graph.
inline constexpr device_launch_t device_launch{};

/// No allocation leaves the graph.
struct no_fates {};

struct because_a_graph_with_memory_nodes_cannot_be_launched_from_the_device {};
struct because_the_outputs_are_taken_write_std_move {};
struct because_auto_free_would_free_the_outputs_choose_one {};
struct because_options_are_types_write_outputs_auto_free_upload_to_or_use_node_priorities {};
struct because_a_graph_without_memory_nodes_has_no_outputs_use_memory_graph {};
struct because_options_are_types_write_upload_to_use_node_priorities_or_device_launch {};

namespace detail {

struct no_option {};

template <class O>
inline constexpr bool is_fates = false;
template <fate F, class... Ts>
inline constexpr bool is_fates<fate_list<F, Ts...>> = true;
template <fate F, class T>
inline constexpr bool is_fates<fate_vector<F, T>> = true;

template <class O>
inline constexpr bool is_fate_vector = false;
template <fate F, class T>
inline constexpr bool is_fate_vector<fate_vector<F, T>> = true;

template <class O>
concept plain_option = std::same_as<O, no_option> || std::same_as<O, upload_to> || std::same_as<O, use_node_priorities_t>;

template <class O>
concept plain_graph_option = plain_option<O> || std::same_as<O, device_launch_t>;
template <class O>
concept memory_graph_option =
    plain_option<std::remove_cvref_t<O>> || is_fates<O>;  // tokens come as rvalues, the others as they like

/// The first option that says how allocations leave, or none.
template <class... Options>
struct find_fates {
    using type = no_fates;
};
template <class First, class... Rest>
struct find_fates<First, Rest...> {
    using type = std::conditional_t<is_fates<First>, First, typename find_fates<Rest...>::type>;
};

template <class... Options>
inline constexpr int count_fates = (0 + ... + (is_fates<Options> ? 1 : 0));

template <class... Options>
concept memory_graph_options = (memory_graph_option<Options> && ...) && count_fates<Options...> <= 1;
template <class... Options>
concept plain_graph_options = (plain_graph_option<std::remove_cvref_t<Options>> && ...);

template <class... Options>
using why_no_memory_graph_options = std::conditional_t<
    (std::same_as<std::remove_cvref_t<Options>, device_launch_t> || ...),
    because_a_graph_with_memory_nodes_cannot_be_launched_from_the_device,
    std::conditional_t<(count_fates<std::remove_cvref_t<Options>...> > 1), because_auto_free_would_free_the_outputs_choose_one,
                       std::conditional_t<(count_fates<std::remove_cvref_t<Options>...> > count_fates<Options...>),
                                          because_the_outputs_are_taken_write_std_move,
                                          because_options_are_types_write_outputs_auto_free_upload_to_or_use_node_priorities>>>;
template <class... Options>
using why_no_plain_graph_options =
    std::conditional_t<(count_fates<std::remove_cvref_t<Options>...> > 0),
                       because_a_graph_without_memory_nodes_has_no_outputs_use_memory_graph,
                       because_options_are_types_write_upload_to_use_node_priorities_or_device_launch>;

/// That option itself.
template <class First, class... Rest>
constexpr auto& fates_among(First& first, Rest&... rest) noexcept {
    if constexpr (is_fates<First>) {
        return first;
    } else {
        return fates_among(rest...);
    }
}

template <class Fates>
constexpr bool auto_frees() {
    if constexpr (is_fates<Fates>) {
        return Fates::what == fate::auto_free;
    } else {
        return false;
    }
}

inline void apply(no_option, CUDA_GRAPH_INSTANTIATE_PARAMS&) noexcept {}
inline void apply(const upload_to& option, CUDA_GRAPH_INSTANTIATE_PARAMS& parameters) noexcept {
    parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    parameters.hUploadStream = option.stream.get();
}
inline void apply(use_node_priorities_t, CUDA_GRAPH_INSTANTIATE_PARAMS& parameters) noexcept {
    parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
}
inline void apply(device_launch_t, CUDA_GRAPH_INSTANTIATE_PARAMS& parameters) noexcept {
    parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
}
template <class Fates>
    requires is_fates<Fates>
void apply(const Fates&, CUDA_GRAPH_INSTANTIATE_PARAMS& parameters) noexcept {
    if (Fates::what == fate::auto_free) {
        parameters.flags |= CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    }
}

template <class Visit>
void each_token(no_fates&, Visit&&) {}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
