// Parameters of one kind of node, in the general form that every node has.
#pragma once

#include <cstring>

#include "objects.hpp"

namespace allograph_reference {

inline CUgraphNodeParams params_of(CUgraphNodeType type) {
    CUgraphNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.type = type;
    return params;
}

inline CUgraphNodeParams kernel_params(const CUDA_KERNEL_NODE_PARAMS_v2& kernel) {
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_KERNEL);
    std::memcpy(&params.kernel, &kernel, sizeof kernel);
    return params;
}
inline CUgraphNodeParams kernel_params(const CUDA_KERNEL_NODE_PARAMS_v1& kernel) {
    CUDA_KERNEL_NODE_PARAMS_v2 wider{};
    std::memcpy(&wider, &kernel, sizeof kernel);
    return kernel_params(wider);
}
inline CUgraphNodeParams memcpy_params(const CUDA_MEMCPY3D& copy, CUcontext ctx) {
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_MEMCPY);
    params.memcpy.copyParams = copy;
    params.memcpy.copyCtx = ctx;
    return params;
}
inline CUgraphNodeParams memset_params(const CUDA_MEMSET_NODE_PARAMS& set, CUcontext ctx) {
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_MEMSET);
    params.memset = {set.dst, set.pitch, set.value, set.elementSize, set.width, set.height, ctx};
    return params;
}
inline CUgraphNodeParams host_params(const CUDA_HOST_NODE_PARAMS& host) {
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_HOST);
    params.host.fn = host.fn;
    params.host.userData = host.userData;
    return params;
}
inline CUgraphNodeParams event_params(CUgraphNodeType type, CUevent event) {
    CUgraphNodeParams params = params_of(type);
    if (type == CU_GRAPH_NODE_TYPE_WAIT_EVENT)
        params.eventWait.event = event;
    else
        params.eventRecord.event = event;
    return params;
}
inline CUgraphNodeParams signal_params(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS& signal) {
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
    params.extSemSignal.extSemArray = signal.extSemArray;
    params.extSemSignal.paramsArray = signal.paramsArray;
    params.extSemSignal.numExtSems = signal.numExtSems;
    return params;
}
inline CUgraphNodeParams wait_params(const CUDA_EXT_SEM_WAIT_NODE_PARAMS& wait) {
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT);
    params.extSemWait.extSemArray = wait.extSemArray;
    params.extSemWait.paramsArray = wait.paramsArray;
    params.extSemWait.numExtSems = wait.numExtSems;
    return params;
}
inline CUgraphNodeParams batch_params(const CUDA_BATCH_MEM_OP_NODE_PARAMS& batch) {
    CUgraphNodeParams params = params_of(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    params.memOp = {batch.ctx, batch.count, batch.paramArray, batch.flags};
    return params;
}

}  // namespace allograph_reference
