#pragma once

#include <allograph/graph/basic_graph.hpp>
#include <allograph/graph/captured.hpp>

namespace allograph {
inline namespace v0 {

/// What the end of a capture gives: `auto [graph, captured] = std::move(scope).end();`
template <graph_kind Kind, checking Checks>
struct [[nodiscard("the graph is in it")]] capture_result {
    basic_graph<Kind, Checks> graph;       ///< the graph that was captured into
    allograph::captured<Checks> captured;  ///< what the capture left in it
};

}  // namespace v0
}  // namespace allograph
