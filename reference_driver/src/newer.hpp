// What the headers of older toolkits lack. The functions among it are not exported there: the driver then has the
// functions that its toolkit's own driver has.
#pragma once

#include <cuda.h>

namespace allograph_reference {

#if CUDA_VERSION < 12040
inline constexpr auto CUDA_ERROR_FUNCTION_NOT_LOADED = static_cast<CUresult>(913);
inline constexpr auto CUDA_ERROR_INVALID_RESOURCE_TYPE = static_cast<CUresult>(914);
#endif
#if CUDA_VERSION < 12050
inline constexpr auto CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = static_cast<CUresult>(915);
#endif
#if CUDA_VERSION < 12080
inline constexpr auto CUDA_ERROR_CONTAINED = static_cast<CUresult>(226);
inline constexpr auto CUDA_ERROR_TENSOR_MEMORY_LEAK = static_cast<CUresult>(721);
inline constexpr auto CUDA_ERROR_KEY_ROTATION = static_cast<CUresult>(916);
inline constexpr unsigned CU_GRAPH_COND_TYPE_SWITCH = 2;  // out of the range of the older type
#endif
#if CUDA_VERSION < 13000
inline constexpr auto CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER = static_cast<CUresult>(36);
inline constexpr auto CU_MEM_ALLOCATION_TYPE_MANAGED = static_cast<CUmemAllocationType>(2);
#endif

/// What becomes of the graph that a child node is made of.
enum class child_ownership { copied, moved, unknown };

#if CUDA_VERSION >= 12090
inline child_ownership ownership_of(const CUDA_CHILD_GRAPH_NODE_PARAMS& params) {
    return params.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE  ? child_ownership::copied
           : params.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE ? child_ownership::moved
                                                                     : child_ownership::unknown;
}
#else
inline child_ownership ownership_of(const CUDA_CHILD_GRAPH_NODE_PARAMS&) { return child_ownership::copied; }
#endif

}  // namespace allograph_reference

#if CUDA_VERSION < 12080
extern "C" CUresult cuStreamGetDevice(CUstream stream, CUdevice* device);
#endif
#if CUDA_VERSION < 12050
struct CUctxCreateParams {
    int numExecAffinityParams;
};
using CUgreenCtx = struct CUgreenCtx_st*;
extern "C" CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* ctx, CUgreenCtx* green);
#endif
