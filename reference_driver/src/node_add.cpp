// cuGraphAdd*Node: each gathers its parameters into the general form and adds that.
#include <cstring>

#include "graph.hpp"
#include "node_forms.hpp"

using namespace allograph_reference;

namespace {

// Marks a graph that is now owned by a node. The node's child_data keeps it alive.
void after_move(const CUgraphNodeParams& params) {
    if (params.type != CU_GRAPH_NODE_TYPE_GRAPH || ownership_of(params.graph) != child_ownership::moved)
        return;
    graph* child = find_graph(params.graph.graph);
    child->moved = true;
    state().user_graphs.erase(child);
}

CUresult add(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, const CUgraphEdgeData* edges, std::size_t count,
             CUgraphNodeParams& params) {
    graph* where = find_graph(target);
    if (handle == nullptr || where == nullptr)
        return CUDA_ERROR_INVALID_VALUE;  // [A10]
    std::vector<dependency> dependencies;
    if (const CUresult read = read_dependencies(*where, nodes, edges, count, dependencies); read != CUDA_SUCCESS)
        return read;
    node_data data;
    if (const CUresult made = make_payload(*where, params, data); made != CUDA_SUCCESS)
        return made;
    node* made = nullptr;
    if (const CUresult added = add_node(*where, std::move(dependencies), std::move(data), made); added != CUDA_SUCCESS)
        return added;
    after_move(params);
    if (const auto* allocates = std::get_if<alloc_data>(&made->data))
        params.alloc.dptr = allocates->memory->address;
    if (auto* conditional = std::get_if<conditional_data>(&made->data))
        params.conditional.phGraph_out = conditional->handles.data();
    *handle = handle_of<CUgraphNode>(made);
    return CUDA_SUCCESS;
}

// Without edge data, and with parameters that nobody looks at again.
CUresult add(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count, CUgraphNodeParams params) {
    return add(handle, target, nodes, nullptr, count, params);
}

}  // namespace

extern "C" {

CUresult cuGraphAddNode_v2(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                           std::size_t count, CUgraphNodeParams* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddNode_v2, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, edges, count, *params);
}

CUresult cuGraphAddNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                        CUgraphNodeParams* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddNode, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, nullptr, count, *params);
}

CUresult cuGraphAddEmptyNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddEmptyNode, initialised);
    return add(handle, target, nodes, count, params_of(CU_GRAPH_NODE_TYPE_EMPTY));
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS_v2* kernel) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddKernelNode_v2, initialised);
    return kernel == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, count, kernel_params(*kernel));
}

CUresult cuGraphAddKernelNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1* kernel) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddKernelNode, initialised);
    return kernel == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, count, kernel_params(*kernel));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                              const CUDA_MEMCPY3D* copy, CUcontext ctx) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddMemcpyNode, initialised);
    return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, count, memcpy_params(*copy, ctx));
}

CUresult cuGraphAddMemsetNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* set, CUcontext ctx) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddMemsetNode, initialised);
    return set == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, count, memset_params(*set, ctx));
}

CUresult cuGraphAddHostNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                            const CUDA_HOST_NODE_PARAMS* host) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddHostNode, initialised);
    return host == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, count, host_params(*host));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                  CUgraph child) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddChildGraphNode, initialised);
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_GRAPH);
    params.graph.graph = child;
    return add(handle, target, nodes, count, params);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                   CUevent event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddEventRecordNode, initialised);
    return add(handle, target, nodes, count, event_params(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                 CUevent event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddEventWaitNode, initialised);
    return add(handle, target, nodes, count, event_params(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event));
}

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* signal) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddExternalSemaphoresSignalNode, initialised);
    return signal == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, count, signal_params(*signal));
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS* wait) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddExternalSemaphoresWaitNode, initialised);
    return wait == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, count, wait_params(*wait));
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* batch) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddBatchMemOpNode, initialised);
    return batch == nullptr ? CUDA_ERROR_INVALID_VALUE : add(handle, target, nodes, count, batch_params(*batch));
}

CUresult cuGraphAddMemAllocNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS* wanted) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddMemAllocNode, initialised);
    if (wanted == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
    static_assert(sizeof params.alloc == sizeof *wanted);
    std::memcpy(&params.alloc, wanted, sizeof *wanted);
    const CUresult result = add(handle, target, nodes, nullptr, count, params);
    if (result == CUDA_SUCCESS)
        wanted->dptr = params.alloc.dptr;
    return result;
}

CUresult cuGraphAddMemFreeNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                               CUdeviceptr address) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddMemFreeNode, initialised);
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_MEM_FREE);
    params.free.dptr = address;
    return add(handle, target, nodes, count, params);
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* handle, CUgraph target, CUcontext ctx, unsigned value,
                                        unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphConditionalHandleCreate, initialised);
    graph* where = find_graph(target);
    if (handle == nullptr || where == nullptr || (flags & ~unsigned{CU_GRAPH_COND_ASSIGN_DEFAULT}) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (ctx != nullptr && find_context(ctx) == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    auto made = std::make_shared<conditional_handle>();
    made->handle = state().next_id++;
    made->owner = where;
    made->default_value = value;
    made->assign_default = flags != 0;
    *handle = made->handle;
    state().conditionals[made->handle] = made;
    where->conditionals.push_back(std::move(made));
    return CUDA_SUCCESS;
}

}  // extern "C"
