#pragma once

#include <vector>

#include <allograph/graph/detail/conditional_nodes.hpp>

namespace allograph {
inline namespace v0 {

struct because_a_condition_belongs_to_one_node_pass_it_by_reference {};

/// The value that decides what a conditional node runs. Made by `make_condition` of the graph that the node goes to, used
/// by one node, and set on the device: a kernel takes it as a `cudaGraphConditionalHandle` parameter and calls
/// `cudaGraphSetConditional`.
class condition {
public:
    condition(condition&&) noexcept = default;
    condition(const condition&, because_a_condition_belongs_to_one_node_pass_it_by_reference = {}) = delete;
    condition& operator=(condition&&) = delete;

    /// The driver's handle.
    [[nodiscard]] CUgraphConditionalHandle get() const noexcept { return handle_; }
    /// The driver's handle as a kernel argument.
    constexpr operator unsigned long long() const noexcept { return handle_; }

private:
    template <class, graph_kind, checking>
    friend class detail::conditional_nodes;
    condition(CUgraphConditionalHandle handle, std::uint32_t graph) noexcept : handle_(handle), graph_(graph) {}

    CUgraphConditionalHandle handle_;
    std::uint32_t graph_;
    bool used_ = false;
};

/// What adding a conditional node gives: the node, and the graphs that it runs, which it owns. They hold kernels, memsets,
/// memcpys, empty nodes, children without memory and further conditionals (rules C8, C10). What they use of the graphs
/// around them counts for the node (rule C9).
template <checking Checks>
struct conditional_with_body {
    conditional_node node;                                   ///< of the graph around
    basic_graph<graph_kind::conditional_body, Checks> body;  ///< to be filled before the graph is instantiated
};
/// What `add_if_else` gives.
template <checking Checks>
struct conditional_with_else {
    conditional_node node;                                        ///< of the graph around
    basic_graph<graph_kind::conditional_body, Checks> body;       ///< runs where the value is not 0
    basic_graph<graph_kind::conditional_body, Checks> otherwise;  ///< runs where it is 0
};
/// What `add_switch` gives.
template <checking Checks>
struct conditional_with_bodies {
    conditional_node node;                                                  ///< of the graph around
    std::vector<basic_graph<graph_kind::conditional_body, Checks>> bodies;  ///< the one with the value's number runs
};

}  // namespace v0
}  // namespace allograph
