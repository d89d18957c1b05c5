// Reading and changing the parameters of nodes, in graphs and in executables.
#include <cstring>

#include "exec.hpp"
#include "node_forms.hpp"

using namespace allograph_reference;

namespace {

template <class Data>
Data* data_of(CUgraphNode handle) {
    node* which = find_node(handle);
    return which != nullptr ? std::get_if<Data>(&which->data) : nullptr;
}

// The payload of the executable's twin of a node, if it is of the wanted type.
executable_node* twin_of(CUgraphExec exec, CUgraphNode handle, CUgraphNodeType type) {
    executable* which = find_executable(exec);
    const node* origin = find_node(handle);
    if (which == nullptr || origin == nullptr || type_of(origin->data) != type)
        return nullptr;
    return find_executable_node(which->root, origin->id);
}

// The executable's twin of a node that can be switched off.
executable_node* switchable_twin_of(CUgraphExec exec, CUgraphNode handle) {
    executable* which = find_executable(exec);
    const node* origin = find_node(handle);
    executable_node* twin = which == nullptr || origin == nullptr ? nullptr : find_executable_node(which->root, origin->id);
    if (twin == nullptr)
        return nullptr;
    const CUgraphNodeType type = type_of(twin->data);
    const bool can = type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMSET || type == CU_GRAPH_NODE_TYPE_MEMCPY;
    return can ? twin : nullptr;  // [G6]
}

bool unchangeable(CUgraphNodeType type) { return type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE; }

CUresult read_payload(graph& where, const CUgraphNodeParams& params, node_data& data) {
    if (params.type == CU_GRAPH_NODE_TYPE_GRAPH || params.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (const CUresult result = make_payload(where, params, data); result != CUDA_SUCCESS)
        return result;
    return check_addresses(data, nullptr);
}

void keep_attributes(const node_data& from, node_data& to) {
    if (const auto* before = std::get_if<kernel_data>(&from))
        if (auto* after = std::get_if<kernel_data>(&to))
            after->attributes = before->attributes;
}

CUresult set(CUgraphNode handle, const CUgraphNodeParams& params) {
    node* which = find_node(handle);
    if (which == nullptr || type_of(which->data) != params.type)
        return CUDA_ERROR_INVALID_VALUE;
    if (unchangeable(params.type))
        return CUDA_ERROR_NOT_SUPPORTED;  // [G6]
    node_data data;
    if (const CUresult result = read_payload(*which->owner, params, data); result != CUDA_SUCCESS)
        return result;
    keep_attributes(which->data, data);
    which->data = std::move(data);
    return CUDA_SUCCESS;
}

CUresult set(CUgraphExec exec, CUgraphNode handle, const CUgraphNodeParams& params) {
    executable_node* twin = twin_of(exec, handle, params.type);
    if (twin == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (unchangeable(params.type))
        return CUDA_ERROR_NOT_SUPPORTED;  // [G6]
    node_data data;
    if (const CUresult result = read_payload(*find_node(handle)->owner, params, data); result != CUDA_SUCCESS)
        return result;
    keep_attributes(twin->data, data);
    twin->data = std::move(data);
    return CUDA_SUCCESS;
}

// What a node of one kind holds, in the caller's form.
template <class Data, class Out, class Read>
CUresult get(CUgraphNode handle, Out* out, Read&& read) {
    Data* found = data_of<Data>(handle);
    if (found == nullptr || out == nullptr)
        return CUDA_ERROR_INVALID_VALUE;  // [A15]
    *out = read(*found);
    return CUDA_SUCCESS;
}

CUresult get_kernel(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v2& out) {
    kernel_data* kernel = data_of<kernel_data>(handle);
    if (kernel == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    out = {kernel->by_kernel_handle ? nullptr : handle_of<CUfunction>(kernel->code),
           kernel->grid[0],
           kernel->grid[1],
           kernel->grid[2],
           kernel->block[0],
           kernel->block[1],
           kernel->block[2],
           kernel->shared_bytes,
           kernel->arguments(),
           nullptr,
           kernel->by_kernel_handle ? handle_of<CUkernel>(kernel->code) : nullptr,
           kernel->ctx};
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuGraphNodeSetParams(CUgraphNode handle, CUgraphNodeParams* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, *params);
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode handle, CUgraphNodeParams* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, *params);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v2* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphKernelNodeGetParams_v2, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : get_kernel(handle, *params);
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v1* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphKernelNodeGetParams, initialised);
    if (params == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS_v2 wider{};
    const CUresult result = get_kernel(handle, wider);
    if (result == CUDA_SUCCESS)
        std::memcpy(params, &wider, sizeof *params);
    return result;
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphMemcpyNodeGetParams, initialised);
    return get<memcpy_data>(handle, params, [](memcpy_data& found) { return found.copy; });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphMemsetNodeGetParams, initialised);
    return get<memset_data>(handle, params, [](memset_data& found) { return found.set; });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode handle, CUDA_HOST_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphHostNodeGetParams, initialised);
    return get<host_data>(handle, params, [](host_data& found) { return CUDA_HOST_NODE_PARAMS{found.fn, found.user_data}; });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode handle, CUevent* event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphEventRecordNodeGetEvent, initialised);
    return get<event_record_data>(handle, event, [](event_record_data& found) { return found.event; });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode handle, CUevent* event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphEventWaitNodeGetEvent, initialised);
    return get<event_wait_data>(handle, event, [](event_wait_data& found) { return found.event; });
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode handle, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphMemAllocNodeGetParams, initialised);
    const alloc_data* found = data_of<alloc_data>(handle);
    if (found == nullptr || params == nullptr)
        return CUDA_ERROR_INVALID_VALUE;  // [A15]
    params->poolProps = found->properties;
    params->accessDescs = found->descriptors.data();  // [P4]
    params->accessDescCount = found->descriptors.size();
    params->bytesize = found->memory->bytes;
    params->dptr = found->memory->address;
    return CUDA_SUCCESS;
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr* address) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphMemFreeNodeGetParams, initialised);
    return get<free_data>(handle, address, [](free_data& found) { return found.address; });
}
CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode handle, CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExternalSemaphoresSignalNodeGetParams, initialised);
    return get<semaphore_signal_data>(handle, params, [](semaphore_signal_data& found) {
        return CUDA_EXT_SEM_SIGNAL_NODE_PARAMS{found.semaphores.data(), found.params.data(),
                                               static_cast<unsigned>(found.params.size())};
    });
}
CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode handle, CUDA_EXT_SEM_WAIT_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExternalSemaphoresWaitNodeGetParams, initialised);
    return get<semaphore_wait_data>(handle, params, [](semaphore_wait_data& found) {
        return CUDA_EXT_SEM_WAIT_NODE_PARAMS{found.semaphores.data(), found.params.data(),
                                             static_cast<unsigned>(found.params.size())};
    });
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode handle, CUDA_BATCH_MEM_OP_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphBatchMemOpNodeGetParams, initialised);
    return get<batch_data>(handle, params, [](batch_data& found) {
        return CUDA_BATCH_MEM_OP_NODE_PARAMS{found.ctx, static_cast<unsigned>(found.operations.size()), found.operations.data(),
                                             found.flags};
    });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS_v2* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphKernelNodeSetParams_v2, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, kernel_params(*params));
}
CUresult cuGraphKernelNodeSetParams(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphKernelNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, kernel_params(*params));
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode handle, const CUDA_MEMCPY3D* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphMemcpyNodeSetParams, initialised);
    const memcpy_data* found = data_of<memcpy_data>(handle);
    return params == nullptr || found == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, memcpy_params(*params, found->ctx));
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode handle, const CUDA_MEMSET_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphMemsetNodeSetParams, initialised);
    const memset_data* found = data_of<memset_data>(handle);
    return params == nullptr || found == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, memset_params(*params, found->ctx));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode handle, const CUDA_HOST_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphHostNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, host_params(*params));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode handle, CUevent event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphEventRecordNodeSetEvent, initialised);
    return set(handle, event_params(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event));
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode handle, CUevent event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphEventWaitNodeSetEvent, initialised);
    return set(handle, event_params(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event));
}
CUresult cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode handle, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExternalSemaphoresSignalNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, signal_params(*params));
}
CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode handle, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExternalSemaphoresWaitNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, wait_params(*params));
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode handle, const CUDA_BATCH_MEM_OP_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphBatchMemOpNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, batch_params(*params));
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS_v2* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecKernelNodeSetParams_v2, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, kernel_params(*params));
}
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecKernelNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, kernel_params(*params));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode handle, const CUDA_MEMCPY3D* params, CUcontext ctx) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecMemcpyNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, memcpy_params(*params, ctx));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode handle, const CUDA_MEMSET_NODE_PARAMS* params,
                                        CUcontext ctx) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecMemsetNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, memset_params(*params, ctx));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode handle, const CUDA_HOST_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecHostNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, host_params(*params));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode handle, CUevent event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecEventRecordNodeSetEvent, initialised);
    return set(exec, handle, event_params(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode handle, CUevent event) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecEventWaitNodeSetEvent, initialised);
    return set(exec, handle, event_params(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event));
}
CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec exec, CUgraphNode handle,
                                                          const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecExternalSemaphoresSignalNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, signal_params(*params));
}
CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec exec, CUgraphNode handle,
                                                        const CUDA_EXT_SEM_WAIT_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecExternalSemaphoresWaitNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, wait_params(*params));
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode handle, const CUDA_BATCH_MEM_OP_NODE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecBatchMemOpNodeSetParams, initialised);
    return params == nullptr ? CUDA_ERROR_INVALID_VALUE : set(exec, handle, batch_params(*params));
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode handle, CUgraph child) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecChildGraphNodeSetParams, initialised);
    executable_node* twin = twin_of(exec, handle, CU_GRAPH_NODE_TYPE_GRAPH);
    const graph* fresh = find_graph(child);
    if (twin == nullptr || fresh == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    return update_child(*twin, *fresh);
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode handle, unsigned enabled) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeSetEnabled, initialised);
    executable_node* twin = switchable_twin_of(exec, handle);
    if (twin == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    twin->enabled = enabled != 0;
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode handle, unsigned* enabled) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeGetEnabled, initialised);
    const executable_node* twin = switchable_twin_of(exec, handle);
    if (twin == nullptr || enabled == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *enabled = twin->enabled ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue* value) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphKernelNodeSetAttribute, initialised);
    kernel_data* kernel = data_of<kernel_data>(handle);
    if (kernel == nullptr || value == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    kernel->attributes[attribute] = *value;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue* value) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphKernelNodeGetAttribute, initialised);
    const kernel_data* kernel = data_of<kernel_data>(handle);
    if (kernel == nullptr || value == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    std::memset(value, 0, sizeof *value);
    if (const auto found = kernel->attributes.find(attribute); found != kernel->attributes.end())
        *value = found->second;
    return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphKernelNodeCopyAttributes, initialised);
    kernel_data* target = data_of<kernel_data>(to);
    const kernel_data* source = data_of<kernel_data>(from);
    if (target == nullptr || source == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    target->attributes = source->attributes;
    return CUDA_SUCCESS;
}

}  // extern "C"
