// A libcuda.so.1 that does nothing, as fast as it can: what is measured above it is the caller's own work.

#include <cuda.h>

#include <cstdint>

namespace {

std::uintptr_t next_handle = 0x1000;
CUdeviceptr next_address = 0x302000000;

template <class Handle>
CUresult give(Handle* handle) {
    *handle = reinterpret_cast<Handle>(next_handle += 64);
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuGetErrorName(CUresult, const char** text) {
    *text = "CUDA_ERROR";
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGetErrorString(CUresult, const char** text) {
    *text = "error";
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetCount(int* count) {
    *count = 1;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGet(CUdevice* device, int) {
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute, CUdevice) {
    *value = 1;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
    *bytes = std::size_t{140} << 30;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) { return give(context); }
CUresult CUDAAPI cuCtxGetCurrent(CUcontext* context) { return give(context); }
CUresult CUDAAPI cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuCtxGetDevice(CUdevice* device) {
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamCreate(CUstream* stream, unsigned) { return give(stream); }
CUresult CUDAAPI cuStreamDestroy_v2(CUstream) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuModuleLoadData(CUmodule* module, const void*) { return give(module); }
CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule, const char*) { return give(function); }
CUresult CUDAAPI cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuGraphCreate(CUgraph* graph, unsigned) { return give(graph); }
CUresult CUDAAPI cuGraphDestroy(CUgraph) { return CUDA_SUCCESS; }
CUresult CUDAAPI cuGraphAddMemAllocNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t,
                                        CUDA_MEM_ALLOC_NODE_PARAMS* parameters) {
    parameters->dptr = next_address += 4096;
    return give(node);
}
CUresult CUDAAPI cuGraphAddMemFreeNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t, CUdeviceptr) {
    return give(node);
}
CUresult CUDAAPI cuGraphAddMemsetNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t, const CUDA_MEMSET_NODE_PARAMS*,
                                      CUcontext) {
    return give(node);
}
CUresult CUDAAPI cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t,
                                         const CUDA_KERNEL_NODE_PARAMS*) {
    return give(node);
}

CUresult CUDAAPI cuGraphAddEmptyNode(CUgraphNode* node, CUgraph, const CUgraphNode*, std::size_t) { return give(node); }

}  // extern "C"
