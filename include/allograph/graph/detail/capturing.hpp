#pragma once

#include <utility>

#include <allograph/graph/capture_scope.hpp>
#include <allograph/graph/stream.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// What `add_captured` does on a graph of the driver.
template <graph_kind Kind, checking Checks>
struct capturing {
    using graph_type = basic_graph<Kind, Checks>;

    template <class F>
    static node add(graph_type& graph, const dependencies& deps, std::span<const memory_use> uses, F& work) {
        const source_line where = deps.where();
        const stream on(graph.where_it_runs(), where.file, where.line);
        capture_scope<Kind, Checks> scope(graph, on.get(), deps, capture_mode::guards_this_thread, uses);
        try {
            work(on.get());
            auto [whole, captured] = scope.finish(uses, where);
            graph = std::move(whole);
            if (stands_for_all(captured, deps)) {
                return captured.after().front();
            }
            return graph.add(dependencies(captured.after(), where.file, where.line), node_kind::captured, nullptr, uses,
                             [&](driver::node_list list) { return driver::graph_add_empty_node(graph.get(), list, where); });
        } catch (...) {
            give_back(graph, scope, where);
            throw;
        }
    }

private:
    /// True for a single last node that was captured, and that stands for the uses.
    static bool stands_for_all(const captured<Checks>& work, const dependencies& deps) {
        if constexpr (Checks == checking::on) {
            return work.declared_;
        } else {
            bool is_new = work.after().size() == 1;
            for (std::size_t i = 0; i < deps.size(); ++i) {
                is_new = is_new && deps[i].get() != work.after().front().get();
            }
            return is_new;
        }
    }

    /// What was captured stays in the graph, if the driver has not destroyed it, and nobody has a node to wait for it.
    static void give_back(graph_type& graph, capture_scope<Kind, Checks>& scope, source_line where) {
        if (graph.get() == nullptr) {
            if (scope.open_) {
                CUgraph same = nullptr;
                scope.close(cuStreamEndCapture(scope.stream_, &same));
            }
            graph = std::move(scope.graph_);
        }
        if (graph.broken_.empty()) {
            graph.broken_ = "the work captured at " + line_text(where) + " did not come to its end";
        }
    }
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
