// cuGraphAdd*Node: each gathers its parameters into the general form and adds that.
#include <cstring>

#include "graph.hpp"

using namespace allograph_reference;

namespace {

CUgraphNodeParams params_of(CUgraphNodeType type) {
    CUgraphNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.type = type;
    return params;
}

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

CUresult add_kernel(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                    const CUDA_KERNEL_NODE_PARAMS_v2& kernel) {
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_KERNEL);
    std::memcpy(&params.kernel, &kernel, sizeof kernel);
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
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_EMPTY);
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS_v2* kernel) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddKernelNode_v2, initialised);
    return kernel == nullptr ? CUDA_ERROR_INVALID_VALUE : add_kernel(handle, target, nodes, count, *kernel);
}

CUresult cuGraphAddKernelNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1* kernel) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddKernelNode, initialised);
    if (kernel == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS_v2 wider{};
    std::memcpy(&wider, kernel, sizeof *kernel);
    return add_kernel(handle, target, nodes, count, wider);
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                              const CUDA_MEMCPY3D* copy, CUcontext ctx) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddMemcpyNode, initialised);
    if (copy == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_MEMCPY);
    params.memcpy.copyParams = *copy;
    params.memcpy.copyCtx = ctx;
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddMemsetNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* set, CUcontext ctx) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddMemsetNode, initialised);
    if (set == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_MEMSET);
    params.memset = {set->dst, set->pitch, set->value, set->elementSize, set->width, set->height, ctx};
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddHostNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                            const CUDA_HOST_NODE_PARAMS* host) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddHostNode, initialised);
    if (host == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_HOST);
    params.host.fn = host->fn;
    params.host.userData = host->userData;
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                  CUgraph child) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddChildGraphNode, initialised);
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_GRAPH);
    params.graph.graph = child;
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                   CUevent event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddEventRecordNode, initialised);
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_EVENT_RECORD);
    params.eventRecord.event = event;
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                 CUevent event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddEventWaitNode, initialised);
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_WAIT_EVENT);
    params.eventWait.event = event;
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* signal) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddExternalSemaphoresSignalNode, initialised);
    if (signal == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
    params.extSemSignal.extSemArray = signal->extSemArray;
    params.extSemSignal.paramsArray = signal->paramsArray;
    params.extSemSignal.numExtSems = signal->numExtSems;
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS* wait) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddExternalSemaphoresWaitNode, initialised);
    if (wait == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
    params.extSemWait.extSemArray = wait->extSemArray;
    params.extSemWait.paramsArray = wait->paramsArray;
    params.extSemWait.numExtSems = wait->numExtSems;
    return add(handle, target, nodes, nullptr, count, params);
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* handle, CUgraph target, const CUgraphNode* nodes, std::size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS* batch) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphAddBatchMemOpNode, initialised);
    if (batch == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    params.memOp = {batch->ctx, batch->count, batch->paramArray, batch->flags};
    return add(handle, target, nodes, nullptr, count, params);
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
    return add(handle, target, nodes, nullptr, count, params);
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
