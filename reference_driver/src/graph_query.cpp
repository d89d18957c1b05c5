// Reading and changing the shape of a graph.
#include <algorithm>

#include "graph.hpp"

using namespace allograph_reference;

namespace {

// The driver's way of returning lists: without an array the count, with one as many as fit, and null behind the last.
CUresult give_nodes(const std::vector<node*>& found, CUgraphNode* out, std::size_t* count) {
    if (count == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (out == nullptr) {
        *count = found.size();
        return CUDA_SUCCESS;
    }
    for (std::size_t index = 0; index < *count; ++index)
        out[index] = index < found.size() ? handle_of<CUgraphNode>(found[index]) : nullptr;
    *count = std::min(*count, found.size());
    return CUDA_SUCCESS;
}

bool is_default(const CUgraphEdgeData& edge) {
    return edge.from_port == 0 && edge.to_port == 0 && edge.type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT;
}

struct full_edge {
    node* from;
    node* to;
    CUgraphEdgeData data;
};

CUresult give_edges(const std::vector<full_edge>& found, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                    std::size_t* count) {
    if (count == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (from == nullptr && to == nullptr) {
        *count = found.size();
        return CUDA_SUCCESS;
    }
    for (std::size_t index = 0; index < std::min(*count, found.size()); ++index) {
        // Without a place for it, edge data that says something would be lost.
        if (data == nullptr && !is_default(found[index].data))
            return CUDA_ERROR_LOSSY_QUERY;
        if (data != nullptr)
            data[index] = found[index].data;
        if (from != nullptr)
            from[index] = handle_of<CUgraphNode>(found[index].from);
        if (to != nullptr)
            to[index] = handle_of<CUgraphNode>(found[index].to);
    }
    for (std::size_t index = found.size(); index < *count; ++index) {
        if (from != nullptr)
            from[index] = nullptr;
        if (to != nullptr)
            to[index] = nullptr;
    }
    *count = std::min(*count, found.size());
    return CUDA_SUCCESS;
}

std::vector<full_edge> edges_into(node& to) {
    std::vector<full_edge> found;
    for (const dependency& each : to.dependencies)
        found.push_back({each.from, &to, each.edge});
    return found;
}

CUresult get_edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, std::size_t* count) {
    const graph* where = find_graph(handle);
    if (where == nullptr || (from == nullptr) != (to == nullptr))
        return CUDA_ERROR_INVALID_VALUE;
    std::vector<full_edge> found;
    for (const auto& each : where->nodes)
        for (const full_edge& edge : edges_into(*each))
            found.push_back(edge);
    return give_edges(found, from, to, data, count);
}

CUresult get_dependencies(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* data, std::size_t* count) {
    node* which = find_node(handle);
    if (which == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    return give_edges(edges_into(*which), out, nullptr, data, count);
}

CUresult get_dependents(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* data, std::size_t* count) {
    node* which = find_node(handle);
    if (which == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    std::vector<full_edge> found;
    for (node* dependent : which->dependents)
        for (const dependency& each : dependent->dependencies)
            if (each.from == which)
                found.push_back({which, dependent, each.edge});
    return give_edges(found, nullptr, out, data, count);
}

CUresult add_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
                   std::size_t count) {
    graph* where = find_graph(handle);
    if (where == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (count != 0 && (from == nullptr || to == nullptr))
        return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t index = 0; index < count; ++index) {
        node* first = find_node(from[index]);
        node* second = find_node(to[index]);
        if (first == nullptr || second == nullptr || first == second)
            return CUDA_ERROR_INVALID_VALUE;
        if (first->owner != where || second->owner != where)
            return CUDA_ERROR_INVALID_VALUE;
        for (const dependency& each : second->dependencies)
            if (each.from == first)
                return CUDA_ERROR_INVALID_VALUE;  // the same edge twice [D6]
        dependency added{first, {}};
        if (data != nullptr)
            added.edge = data[index];
        if (added.edge.to_port != 0)
            return CUDA_ERROR_INVALID_VALUE;
        if (!is_default(added.edge) && !std::holds_alternative<kernel_data>(first->data))
            return CUDA_ERROR_INVALID_VALUE;
        second->dependencies.push_back(added);  // a cycle is not looked for until the graph is instantiated [D7]
        first->dependents.push_back(second);
        if (first->id > second->id)
            where->edges_follow_creation = false;
    }
    return CUDA_SUCCESS;
}

CUresult remove_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
                      std::size_t count) {
    graph* where = find_graph(handle);
    if (where == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (count == 0)
        return CUDA_SUCCESS;
    if (from == nullptr || to == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (where->holds_memory())
        return CUDA_ERROR_NOT_SUPPORTED;  // [G3]
    for (std::size_t index = 0; index < count; ++index) {
        node* first = find_node(from[index]);
        node* second = find_node(to[index]);
        if (first == nullptr || second == nullptr || first->owner != where)
            return CUDA_ERROR_INVALID_VALUE;
        const auto edge = std::find_if(second->dependencies.begin(), second->dependencies.end(),
                                       [first](const dependency& each) { return each.from == first; });
        if (edge == second->dependencies.end())
            return CUDA_ERROR_INVALID_VALUE;
        if (data == nullptr && !is_default(edge->edge))
            return CUDA_ERROR_INVALID_VALUE;
        second->dependencies.erase(edge);
        std::erase(first->dependents, second);
    }
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* out, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphGetNodes, initialised);
    const graph* where = find_graph(handle);
    if (where == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    std::vector<node*> found;
    for (const auto& each : where->nodes)
        found.push_back(each.get());
    return give_nodes(found, out, count);
}

CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode* out, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphGetRootNodes, initialised);
    const graph* where = find_graph(handle);
    if (where == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    std::vector<node*> found;
    for (const auto& each : where->nodes)
        if (each->dependencies.empty())
            found.push_back(each.get());
    return give_nodes(found, out, count);
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeGetType, initialised);
    const node* which = find_node(handle);
    if (which == nullptr || type == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *type = type_of(which->data);
    return CUDA_SUCCESS;
}

CUresult cuGraphGetEdges_v2(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphGetEdges_v2, initialised);
    return get_edges(handle, from, to, data, count);
}
CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphGetEdges, initialised);
    return get_edges(handle, from, to, nullptr, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* data, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeGetDependencies_v2, initialised);
    return get_dependencies(handle, out, data, count);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode* out, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeGetDependencies, initialised);
    return get_dependencies(handle, out, nullptr, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* data, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeGetDependentNodes_v2, initialised);
    return get_dependents(handle, out, data, count);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode* out, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeGetDependentNodes, initialised);
    return get_dependents(handle, out, nullptr, count);
}

CUresult cuGraphAddDependencies_v2(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
                                   std::size_t count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddDependencies_v2, initialised);
    return add_edges(handle, from, to, data, count);
}
CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, std::size_t count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddDependencies, initialised);
    return add_edges(handle, from, to, nullptr, count);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* data,
                                      std::size_t count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphRemoveDependencies_v2, initialised);
    return remove_edges(handle, from, to, data, count);
}
CUresult cuGraphRemoveDependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, std::size_t count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphRemoveDependencies, initialised);
    return remove_edges(handle, from, to, nullptr, count);
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphDestroyNode, initialised);
    node* which = find_node(handle);
    if (which == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    graph& where = *which->owner;
    if (where.holds_memory())
        return CUDA_ERROR_NOT_SUPPORTED;  // [G2]
    for (const dependency& each : which->dependencies)
        std::erase(each.from->dependents, which);
    for (node* dependent : which->dependents)
        std::erase_if(dependent->dependencies, [which](const dependency& each) { return each.from == which; });
    const bool was_conditional = std::holds_alternative<conditional_data>(which->data);
    state().nodes.erase(which);
    std::erase_if(where.nodes, [which](const auto& each) { return each.get() == which; });
    if (was_conditional)  // [C18]
        where.has_conditional = std::any_of(where.nodes.begin(), where.nodes.end(), [](const auto& each) {
            return std::holds_alternative<conditional_data>(each->data);
        });
    return CUDA_SUCCESS;
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph* child) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphChildGraphNodeGetGraph, initialised);
    const node* which = find_node(handle);
    if (which == nullptr || child == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    const auto* data = std::get_if<child_data>(&which->data);
    if (data == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *child = handle_of<CUgraph>(data->child.get());
    return CUDA_SUCCESS;
}

}  // extern "C"
