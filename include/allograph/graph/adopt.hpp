#pragma once

#include <allograph/graph/basic_graph.hpp>
#include <allograph/graph/captured_nodes.hpp>

namespace allograph {
inline namespace v0 {

/// What `adopt` gives: the graph, which owns the driver's handle now, and what was found in it.
template <graph_kind Kind, checking Checks>
struct [[nodiscard("the graph is in it")]] adopted_graph {
    basic_graph<Kind, Checks> graph;                       ///< owns the handle that was passed
    std::vector<node> nodes;                               ///< each behind its dependencies; empty without checks
    std::vector<detail::captured_allocation> allocations;  ///< empty without checks
    bool fully_read = true;                                ///< false where the driver did not say what some node touches

    /// Makes the token of an allocation that its graph does not free; it needs a fate then.
    /// @throws misuse [F2] when none begins there or it holds no whole number of `T`, [F1] when it is freed, [F9] when its
    ///         token was taken already; driver_error
    template <class T>
        requires(device_element<T> && capabilities_of(Kind).memory_nodes)
    [[nodiscard]] alloc_node<T, Checks> take(std::uint64_t address, const char* file = __builtin_FILE(),
                                             unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        if constexpr (Checks == checking::off) {
            look_up(address, where);
        }
        detail::captured_allocation* found = nullptr;
        for (detail::captured_allocation& each : allocations) {
            if (each.address == address && (found == nullptr || !each.freed)) {
                found = &each;
            }
        }
        if (found == nullptr || found->bytes % sizeof(T) != 0) {
            detail::broken_rule(
                "F2", "no allocation of the adopted graph begins at this address and holds a whole number of such elements",
                where);
        }
        if (found->freed || found->taken) {
            detail::broken_rule(found->freed ? "F1" : "F9",
                                found->freed ? "the allocation is freed inside of the adopted graph"
                                             : "the allocation was taken already: it has one token",
                                where);
        }
        found->taken = true;
        return detail::handle_access::make<alloc_node<T, Checks>>(
            found->made, address, static_cast<std::size_t>(found->bytes / sizeof(T)), found->allocation);
    }

private:
    void look_up(std::uint64_t address, source_line where) {
        for (const detail::captured_allocation& each : allocations) {
            if (each.address == address) {
                return;
            }
        }
        for (const CUgraphNode each : detail::node_reader<>::nodes_of(graph.get(), where)) {
            if (driver::graph_node_get_type(each, where) == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
                const CUDA_MEM_ALLOC_NODE_PARAMS parameters = driver::graph_mem_alloc_node_get_params(each, where);
                if (parameters.dptr == address) {
                    allocations.push_back({node(each), address, parameters.bytesize, 0, false, false});
                }
            }
        }
    }
};

namespace detail {

template <graph_kind Kind, checking Checks>
struct adopting {
    static adopted_graph<Kind, Checks> adopt(basic_graph<Kind, Checks>&& around, CUgraph raw, source_line where) {
        adopted_graph<Kind, Checks> result{static_cast<basic_graph<Kind, Checks>&&>(around), {}, {}, true};
        if constexpr (Checks == checking::on) {
            ledger& books = result.graph.books();
            captured_nodes<ledger> found(books, where);
            found.enter(raw);
            if (found.has_memory_nodes && !capabilities_of(Kind).memory_nodes) {
                broken_rule("kind", "the graph holds memory nodes: adopt it as a memory_graph", where);
            }
            if (!found.findings.empty()) {
                const finding& first = found.findings.front();
                throw misuse(first.rule,
                             "the graph to adopt breaks a rule: " + first.text + "\n  adopted    " + line_text(where));
            }
            for (std::uint32_t i = 0; i < books.model.node_count(); ++i) {
                books.holds_conditional = books.holds_conditional || books.model.kind_of(i) == node_kind::conditional;
                if (books.model.kind_of(i) == node_kind::child &&
                    holds_memory(driver::graph_child_graph_node_get_graph(books.model.handle_of(i), where), where)) {
                    broken_rule("C15",
                                "a graph that holds a moved child cannot be adopted: move the child in after adopting its parent",
                                where);
                }
            }
            result.nodes = static_cast<std::vector<node>&&>(found.nodes);
            result.allocations = static_cast<std::vector<captured_allocation>&&>(found.allocations);
            result.fully_read = found.complete;
        }
        result.graph.graph_ = raw;
        return result;
    }

private:
    static bool holds_memory(CUgraph graph, source_line where) {
        for (const CUgraphNode each : node_reader<>::nodes_of(graph, where)) {
            const CUgraphNodeType type = driver::graph_node_get_type(each, where);
            if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
                (type == CU_GRAPH_NODE_TYPE_GRAPH &&
                 holds_memory(driver::graph_child_graph_node_get_graph(each, where), where))) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
