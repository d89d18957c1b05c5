// cuGraphExecUpdate: parameters change, the shape never does.
#include <cstring>

#include "exec.hpp"

namespace allograph_reference {
namespace {

struct update_problem {
    CUgraphExecUpdateResult result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    node* at = nullptr;
};

// An update may change parameters, never the shape: nodes correspond in the order of creation.
update_problem compare(const executable_graph& old, const graph& fresh) {
    if (old.nodes.size() != fresh.nodes.size())
        return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr};
    std::unordered_map<const node*, std::size_t> places;
    for (std::size_t index = 0; index < fresh.nodes.size(); ++index)
        places.emplace(fresh.nodes[index].get(), index);
    for (std::size_t index = 0; index < fresh.nodes.size(); ++index) {
        node& now = *fresh.nodes[index];
        const executable_node& before = old.nodes[index];
        if (type_of(before.data) != type_of(now.data))
            return {CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED, &now};
        std::set<std::size_t> were(before.dependencies.begin(), before.dependencies.end());
        std::set<std::size_t> are;
        for (const dependency& each : now.dependencies)
            are.insert(places.at(each.from));
        if (were != are)
            return {CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, &now};
        // Memory nodes stay what they are: only the executable's own graph has them [G9].
        if (const auto* allocates = std::get_if<alloc_data>(&before.data))
            if (allocates->memory != std::get<alloc_data>(now.data).memory)
                return {CU_GRAPH_EXEC_UPDATE_ERROR, &now};
        if (const auto* frees = std::get_if<free_data>(&before.data))
            if (frees->memory != std::get<free_data>(now.data).memory)
                return {CU_GRAPH_EXEC_UPDATE_ERROR, &now};
        std::vector<const graph*> inner;
        if (const auto* child = std::get_if<child_data>(&now.data))
            inner.push_back(child->child.get());
        if (const auto* conditional = std::get_if<conditional_data>(&now.data))
            for (const auto& body : conditional->bodies)
                inner.push_back(body.get());
        if (inner.size() != before.graphs.size())
            return {CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED, &now};
        for (std::size_t which = 0; which < inner.size(); ++which)
            if (const update_problem found = compare(*before.graphs[which], *inner[which]);
                found.result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
                return found;
    }
    return {};
}

void take_parameters(executable_graph& old, const graph& fresh) {
    for (std::size_t index = 0; index < fresh.nodes.size(); ++index) {
        const node& now = *fresh.nodes[index];
        executable_node& before = old.nodes[index];
        if (const auto* child = std::get_if<child_data>(&now.data)) {
            take_parameters(*before.graphs[0], *child->child);
        } else if (const auto* conditional = std::get_if<conditional_data>(&now.data)) {
            for (std::size_t which = 0; which < conditional->bodies.size(); ++which)
                take_parameters(*before.graphs[which], *conditional->bodies[which]);
        } else {
            before.data = now.data;
        }
    }
}

CUresult update(CUgraphExec exec, CUgraph handle, update_problem& problem) {
    executable* which = find_executable(exec);
    const graph* fresh = find_graph(handle);
    if (which == nullptr || fresh == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    problem = compare(which->root, *fresh);
    if (problem.result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    take_parameters(which->root, *fresh);
    return CUDA_SUCCESS;
}

}  // namespace

CUresult update_child(executable_node& which, const graph& fresh) {
    if (compare(*which.graphs[0], fresh).result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE;
    take_parameters(*which.graphs[0], fresh);
    return CUDA_SUCCESS;
}

}  // namespace allograph_reference

using namespace allograph_reference;

extern "C" {

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph handle, CUgraphExecUpdateResultInfo* info) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecUpdate_v2, initialised);
    update_problem problem;
    const CUresult answer = update(exec, handle, problem);
    if (info != nullptr) {
        std::memset(info, 0, sizeof *info);
        info->result = answer == CUDA_ERROR_INVALID_VALUE ? CU_GRAPH_EXEC_UPDATE_ERROR : problem.result;
        info->errorNode = handle_of<CUgraphNode>(problem.at);
    }
    return answer;
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph handle, CUgraphNode* error_node, CUgraphExecUpdateResult* result) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecUpdate, initialised);
    update_problem problem;
    const CUresult answer = update(exec, handle, problem);
    if (error_node != nullptr)
        *error_node = handle_of<CUgraphNode>(problem.at);
    if (result != nullptr)
        *result = problem.result;
    return answer;
}

}  // extern "C"
