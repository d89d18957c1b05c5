#pragma once

#include <concepts>

#include <allograph/model/node_builder.hpp>

namespace allograph {
inline namespace v0 {

/// What programs are written against: a graph of the driver, checked or not, or a model. The members are those of
/// `node_builder`, so that one program can be verified, planned and built.
template <class G>
concept graph_builder =
    requires(G& graph, const dependencies& deps, const node& n, device_span<float> memory, const kernel<void(float*)>& function) {
        { G::kind } -> std::convertible_to<graph_kind>;
        { graph.add_empty(deps) } -> std::same_as<empty_node>;
        { graph.add_memset(deps, memory, 1.0f) } -> std::same_as<memset_node>;
        { graph.add_memcpy(deps, memory, memory) } -> std::same_as<memcpy_node>;
        { graph.add_kernel(deps, function, launch_config{}, memory.data()) } -> std::same_as<kernel_node>;
        graph.add_dependency(n, n);
    };

/// A graph builder that can hold allocations.
template <class G>
concept memory_graph_builder =
    graph_builder<G> && requires(G& graph, const dependencies& deps, typename G::template token_of<float>& token) {
        { graph.template add_alloc<float>(deps, 1) } -> std::same_as<typename G::template token_of<float>>;
        { graph.add_free(deps, static_cast<typename G::template token_of<float>&&>(token)) } -> std::same_as<free_node>;
    };

}  // namespace v0
}  // namespace allograph
