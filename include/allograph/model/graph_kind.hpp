#pragma once

#include <cstdint>

namespace allograph {
inline namespace v0 {

/// The kinds of graph, by what the manual lets them do.
enum class graph_kind : std::uint8_t {
    plain,            ///< `graph`: without memory nodes
    memory,           ///< `memory_graph`: with memory nodes
    moved_child,      ///< was moved into another graph, which owns it
    conditional_body  ///< runs as a conditional node says
};

/// What a kind of graph may do: the manual's restrictions on graphs with memory nodes, as one table.
struct capabilities {
    bool memory_nodes;      ///< allocation and free nodes (C1, C8, C10)
    bool every_node;        ///< all other nodes; else kernel, memset, memcpy, empty, child and conditional alone
    bool removal;           ///< clone, destroy a node, remove an edge (G1, G2, G3)
    bool instantiable;      ///< C2
    bool many_executables;  ///< else one at a time, and it holds the graph (G5)
    bool child_by_copy;     ///< G4
    bool child_by_move;     ///< G4, C3
    bool device_launch;     ///< G7
};

/// The row of that table.
[[nodiscard]] constexpr capabilities capabilities_of(graph_kind kind) noexcept {
    switch (kind) {
    //                                             memory every removal inst  many  copy   move   device
    case graph_kind::plain:
        return {false, true, true, true, true, true, false, true};
    case graph_kind::memory:
        return {true, true, false, true, false, false, true, false};
    case graph_kind::moved_child:
        return {false, true, false, false, false, false, false, false};
    case graph_kind::conditional_body:
        return {false, false, false, false, false, false, false, false};
    }
    return {};
}

/// Whether a graph checks what types cannot: `on` is the default; `off` is the raw calls.
enum class checking : std::uint8_t {
    off,  ///< the raw calls
    on    ///< a model of the graph finds mistakes before the driver is called
};

}  // namespace v0
}  // namespace allograph
