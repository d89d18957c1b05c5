// The driver's functions that an audit calls, defined here and hidden: each finds the process's driver at its first call. This
// library links no libcuda, and a process without one, or with LD_BIND_NOW, is not stopped by it.
#include <cuda.h>

#include "real.hpp"

namespace {

/// @param function  says the type; its definition is what asks
template <class Function>
Function* in_driver(Function*, const char* name) {
    return reinterpret_cast<Function*>(allograph_audit::driver_function(name));
}

}  // namespace

#define ALLOGRAPH_NAME(name) #name
#define ALLOGRAPH_FORWARD(name, parameters, arguments)                                                                           \
    CUresult name parameters {                                                                                                   \
        static const auto function = in_driver(&name, ALLOGRAPH_NAME(name));                                                     \
        return function == nullptr ? CUDA_ERROR_NOT_SUPPORTED : function arguments;                                              \
    }

extern "C" {

ALLOGRAPH_FORWARD(cuGetErrorName, (CUresult error, const char** name), (error, name))
ALLOGRAPH_FORWARD(cuGetErrorString, (CUresult error, const char** text), (error, text))

ALLOGRAPH_FORWARD(cuGraphGetNodes, (CUgraph graph, CUgraphNode* nodes, size_t* count), (graph, nodes, count))
ALLOGRAPH_FORWARD(cuGraphGetEdges_v2, (CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count),
                  (graph, from, to, data, count))
ALLOGRAPH_FORWARD(cuGraphNodeGetDependencies_v2,
                  (CUgraphNode node, CUgraphNode* dependencies, CUgraphEdgeData* data, size_t* count),
                  (node, dependencies, data, count))
ALLOGRAPH_FORWARD(cuGraphDebugDotPrint, (CUgraph graph, const char* path, unsigned int flags), (graph, path, flags))
ALLOGRAPH_FORWARD(cuGraphNodeGetType, (CUgraphNode node, CUgraphNodeType* type), (node, type))
ALLOGRAPH_FORWARD(cuGraphNodeGetDependencies_v2, (CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* data, size_t* count),
                  (node, nodes, data, count))
ALLOGRAPH_FORWARD(cuGraphDebugDotPrint, (CUgraph graph, const char* path, unsigned flags), (graph, path, flags))

ALLOGRAPH_FORWARD(cuGraphKernelNodeGetParams_v2, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params), (node, params))
ALLOGRAPH_FORWARD(cuGraphMemAllocNodeGetParams, (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* params), (node, params))
ALLOGRAPH_FORWARD(cuGraphMemFreeNodeGetParams, (CUgraphNode node, CUdeviceptr* address), (node, address))
ALLOGRAPH_FORWARD(cuGraphMemcpyNodeGetParams, (CUgraphNode node, CUDA_MEMCPY3D* params), (node, params))
ALLOGRAPH_FORWARD(cuGraphMemsetNodeGetParams, (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params), (node, params))
ALLOGRAPH_FORWARD(cuGraphBatchMemOpNodeGetParams, (CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS* params), (node, params))
ALLOGRAPH_FORWARD(cuGraphChildGraphNodeGetGraph, (CUgraphNode node, CUgraph* graph), (node, graph))

ALLOGRAPH_FORWARD(cuFuncGetName, (const char** name, CUfunction function_), (name, function_))
ALLOGRAPH_FORWARD(cuKernelGetName, (const char** name, CUkernel kernel), (name, kernel))
#if CUDA_VERSION >= 12040
ALLOGRAPH_FORWARD(cuFuncGetParamInfo, (CUfunction function_, size_t index, size_t* offset, size_t* bytes),
                  (function_, index, offset, bytes))
ALLOGRAPH_FORWARD(cuKernelGetParamInfo, (CUkernel kernel, size_t index, size_t* offset, size_t* bytes),
                  (kernel, index, offset, bytes))
#endif

}  // extern "C"
