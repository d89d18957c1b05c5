// The names that programs built with CUDA_API_PER_THREAD_DEFAULT_STREAM call: stream 0 is the calling thread's own.
#include "driver.hpp"

namespace {

CUstream own(CUstream handle) { return handle == nullptr ? CU_STREAM_PER_THREAD : handle; }

}  // namespace

extern "C" {

CUresult cuEventRecord_ptsz(CUevent event, CUstream stream) { return cuEventRecord(event, own(stream)); }
CUresult cuEventRecordWithFlags_ptsz(CUevent event, CUstream stream, unsigned flags) {
    return cuEventRecordWithFlags(event, own(stream), flags);
}
CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* handle, CUgraph source, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    if (params == nullptr)
        return cuGraphInstantiateWithParams(handle, source, params);
    CUDA_GRAPH_INSTANTIATE_PARAMS here = *params;
    here.hUploadStream = own(here.hUploadStream);
    const CUresult result = cuGraphInstantiateWithParams(handle, source, &here);
    params->hErrNode_out = here.hErrNode_out;
    params->result_out = here.result_out;
    return result;
}
CUresult cuGraphLaunch_ptsz(CUgraphExec graph_exec, CUstream stream) { return cuGraphLaunch(graph_exec, own(stream)); }
CUresult cuGraphUpload_ptsz(CUgraphExec graph_exec, CUstream stream) { return cuGraphUpload(graph_exec, own(stream)); }
CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned grid_dim_x, unsigned grid_dim_y, unsigned grid_dim_z,
                                        unsigned block_dim_x, unsigned block_dim_y, unsigned block_dim_z,
                                        unsigned shared_mem_bytes, CUstream stream, void** kernel_params) {
    return cuLaunchCooperativeKernel(f, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y, block_dim_z,
                                     shared_mem_bytes, own(stream), kernel_params);
}
CUresult cuLaunchHostFunc_ptsz(CUstream stream, CUhostFn fn, void* user_data) {
    return cuLaunchHostFunc(own(stream), fn, user_data);
}
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned grid_dim_x, unsigned grid_dim_y, unsigned grid_dim_z, unsigned block_dim_x,
                             unsigned block_dim_y, unsigned block_dim_z, unsigned shared_mem_bytes, CUstream stream,
                             void** kernel_params, void** extra) {
    return cuLaunchKernel(f, grid_dim_x, grid_dim_y, grid_dim_z, block_dim_x, block_dim_y, block_dim_z, shared_mem_bytes,
                          own(stream), kernel_params, extra);
}
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction code, void** params, void** extra) {
    if (config == nullptr)
        return cuLaunchKernelEx(config, code, params, extra);
    CUlaunchConfig here = *config;
    here.hStream = own(here.hStream);
    return cuLaunchKernelEx(&here, code, params, extra);
}
CUresult cuMemAllocAsync_ptsz(CUdeviceptr* dptr, std::size_t bytesize, CUstream stream) {
    return cuMemAllocAsync(dptr, bytesize, own(stream));
}
CUresult cuMemFreeAsync_ptsz(CUdeviceptr dptr, CUstream stream) { return cuMemFreeAsync(dptr, own(stream)); }
CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, std::size_t byte_count) { return cuMemcpy(dst, src, byte_count); }
CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D* copy, CUstream stream) { return cuMemcpy2DAsync_v2(copy, own(stream)); }
CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D* copy) { return cuMemcpy2DUnaligned_v2(copy); }
CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D* copy) { return cuMemcpy2D_v2(copy); }
CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D* copy, CUstream stream) { return cuMemcpy3DAsync_v2(copy, own(stream)); }
CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D* copy) { return cuMemcpy3D_v2(copy); }
CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, std::size_t byte_count, CUstream stream) {
    return cuMemcpyAsync(dst, src, byte_count, own(stream));
}
CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dst_device, CUdeviceptr src_device, std::size_t byte_count, CUstream stream) {
    return cuMemcpyDtoDAsync_v2(dst_device, src_device, byte_count, own(stream));
}
CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dst_device, CUdeviceptr src_device, std::size_t byte_count) {
    return cuMemcpyDtoD_v2(dst_device, src_device, byte_count);
}
CUresult cuMemcpyDtoHAsync_v2_ptsz(void* dst_host, CUdeviceptr src_device, std::size_t byte_count, CUstream stream) {
    return cuMemcpyDtoHAsync_v2(dst_host, src_device, byte_count, own(stream));
}
CUresult cuMemcpyDtoH_v2_ptds(void* dst_host, CUdeviceptr src_device, std::size_t byte_count) {
    return cuMemcpyDtoH_v2(dst_host, src_device, byte_count);
}
CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dst_device, const void* src_host, std::size_t byte_count, CUstream stream) {
    return cuMemcpyHtoDAsync_v2(dst_device, src_host, byte_count, own(stream));
}
CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dst_device, const void* src_host, std::size_t byte_count) {
    return cuMemcpyHtoD_v2(dst_device, src_host, byte_count);
}
CUresult cuMemcpyPeer_ptds(CUdeviceptr dst_device, CUcontext dst_context, CUdeviceptr src_device, CUcontext src_context,
                           std::size_t byte_count) {
    return cuMemcpyPeer(dst_device, dst_context, src_device, src_context, byte_count);
}
CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr dst_device, CUcontext dst_context, CUdeviceptr src_device, CUcontext src_context,
                                std::size_t byte_count, CUstream stream) {
    return cuMemcpyPeerAsync(dst_device, dst_context, src_device, src_context, byte_count, own(stream));
}
CUresult cuMemsetD16Async_ptsz(CUdeviceptr dst_device, unsigned short us, std::size_t n, CUstream stream) {
    return cuMemsetD16Async(dst_device, us, n, own(stream));
}
CUresult cuMemsetD16_v2_ptds(CUdeviceptr dst_device, unsigned short us, std::size_t n) {
    return cuMemsetD16_v2(dst_device, us, n);
}
CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dst_device, std::size_t dst_pitch, unsigned short us, std::size_t width,
                                 std::size_t height, CUstream stream) {
    return cuMemsetD2D16Async(dst_device, dst_pitch, us, width, height, own(stream));
}
CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dst_device, std::size_t dst_pitch, unsigned short us, std::size_t width,
                               std::size_t height) {
    return cuMemsetD2D16_v2(dst_device, dst_pitch, us, width, height);
}
CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dst_device, std::size_t dst_pitch, unsigned ui, std::size_t width,
                                 std::size_t height, CUstream stream) {
    return cuMemsetD2D32Async(dst_device, dst_pitch, ui, width, height, own(stream));
}
CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dst_device, std::size_t dst_pitch, unsigned ui, std::size_t width,
                               std::size_t height) {
    return cuMemsetD2D32_v2(dst_device, dst_pitch, ui, width, height);
}
CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dst_device, std::size_t dst_pitch, unsigned char uc, std::size_t width,
                                std::size_t height, CUstream stream) {
    return cuMemsetD2D8Async(dst_device, dst_pitch, uc, width, height, own(stream));
}
CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dst_device, std::size_t dst_pitch, unsigned char uc, std::size_t width,
                              std::size_t height) {
    return cuMemsetD2D8_v2(dst_device, dst_pitch, uc, width, height);
}
CUresult cuMemsetD32Async_ptsz(CUdeviceptr dst_device, unsigned ui, std::size_t n, CUstream stream) {
    return cuMemsetD32Async(dst_device, ui, n, own(stream));
}
CUresult cuMemsetD32_v2_ptds(CUdeviceptr dst_device, unsigned ui, std::size_t n) { return cuMemsetD32_v2(dst_device, ui, n); }
CUresult cuMemsetD8Async_ptsz(CUdeviceptr dst_device, unsigned char uc, std::size_t n, CUstream stream) {
    return cuMemsetD8Async(dst_device, uc, n, own(stream));
}
CUresult cuMemsetD8_v2_ptds(CUdeviceptr dst_device, unsigned char uc, std::size_t n) { return cuMemsetD8_v2(dst_device, uc, n); }
CUresult cuStreamAddCallback_ptsz(CUstream stream, CUstreamCallback callback, void* user_data, unsigned flags) {
    return cuStreamAddCallback(own(stream), callback, user_data, flags);
}
CUresult cuStreamBatchMemOp_v2_ptsz(CUstream stream, unsigned count, CUstreamBatchMemOpParams* param_array, unsigned flags) {
    return cuStreamBatchMemOp_v2(own(stream), count, param_array, flags);
}
CUresult cuStreamBeginCapture_ptsz(CUstream stream) { return cuStreamBeginCapture(own(stream)); }
CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream stream, CUgraph graph, const CUgraphNode* dependencies,
                                          const CUgraphEdgeData* dependency_data, std::size_t num_dependencies,
                                          CUstreamCaptureMode mode) {
    return cuStreamBeginCaptureToGraph(own(stream), graph, dependencies, dependency_data, num_dependencies, mode);
}
CUresult cuStreamBeginCapture_v2_ptsz(CUstream stream, CUstreamCaptureMode mode) {
    return cuStreamBeginCapture_v2(own(stream), mode);
}
CUresult cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src) { return cuStreamCopyAttributes(own(dst), own(src)); }
CUresult cuStreamEndCapture_ptsz(CUstream stream, CUgraph* graph) { return cuStreamEndCapture(own(stream), graph); }
CUresult cuStreamGetAttribute_ptsz(CUstream stream, CUstreamAttrID attr, CUstreamAttrValue* value_out) {
    return cuStreamGetAttribute(own(stream), attr, value_out);
}
CUresult cuStreamGetCaptureInfo_ptsz(CUstream stream, CUstreamCaptureStatus* capture_status_out, cuuint64_t* id_out) {
    return cuStreamGetCaptureInfo(own(stream), capture_status_out, id_out);
}
CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream stream, CUstreamCaptureStatus* capture_status_out, cuuint64_t* id_out,
                                        CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                        std::size_t* num_dependencies_out) {
    return cuStreamGetCaptureInfo_v2(own(stream), capture_status_out, id_out, graph_out, dependencies_out, num_dependencies_out);
}
CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream stream, CUstreamCaptureStatus* capture_status_out, cuuint64_t* id_out,
                                        CUgraph* graph_out, const CUgraphNode** dependencies_out,
                                        const CUgraphEdgeData** edge_data_out, std::size_t* num_dependencies_out) {
    return cuStreamGetCaptureInfo_v3(own(stream), capture_status_out, id_out, graph_out, dependencies_out, edge_data_out,
                                     num_dependencies_out);
}
CUresult cuStreamGetCtx_ptsz(CUstream stream, CUcontext* pctx) { return cuStreamGetCtx(own(stream), pctx); }
CUresult cuStreamGetCtx_v2_ptsz(CUstream stream, CUcontext* ctx, CUgreenCtx* green_ctx) {
    return cuStreamGetCtx_v2(own(stream), ctx, green_ctx);
}
CUresult cuStreamGetDevice_ptsz(CUstream stream, CUdevice* device) { return cuStreamGetDevice(own(stream), device); }
CUresult cuStreamGetFlags_ptsz(CUstream stream, unsigned* flags) { return cuStreamGetFlags(own(stream), flags); }
CUresult cuStreamGetId_ptsz(CUstream stream, unsigned long long* stream_id) { return cuStreamGetId(own(stream), stream_id); }
CUresult cuStreamGetPriority_ptsz(CUstream stream, int* priority) { return cuStreamGetPriority(own(stream), priority); }
CUresult cuStreamIsCapturing_ptsz(CUstream stream, CUstreamCaptureStatus* capture_status) {
    return cuStreamIsCapturing(own(stream), capture_status);
}
CUresult cuStreamQuery_ptsz(CUstream stream) { return cuStreamQuery(own(stream)); }
CUresult cuStreamSetAttribute_ptsz(CUstream stream, CUstreamAttrID attr, const CUstreamAttrValue* value) {
    return cuStreamSetAttribute(own(stream), attr, value);
}
CUresult cuStreamSynchronize_ptsz(CUstream stream) { return cuStreamSynchronize(own(stream)); }
CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream stream, CUgraphNode* dependencies, std::size_t num_dependencies,
                                                unsigned flags) {
    return cuStreamUpdateCaptureDependencies(own(stream), dependencies, num_dependencies, flags);
}
CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream stream, CUgraphNode* dependencies,
                                                   const CUgraphEdgeData* dependency_data, std::size_t num_dependencies,
                                                   unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(own(stream), dependencies, dependency_data, num_dependencies, flags);
}
CUresult cuStreamWaitEvent_ptsz(CUstream stream, CUevent event, unsigned flags) {
    return cuStreamWaitEvent(own(stream), event, flags);
}
CUresult cuStreamWaitValue32_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned flags) {
    return cuStreamWaitValue32_v2(own(stream), addr, value, flags);
}
CUresult cuStreamWaitValue64_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned flags) {
    return cuStreamWaitValue64_v2(own(stream), addr, value, flags);
}
CUresult cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned flags) {
    return cuStreamWriteValue32_v2(own(stream), addr, value, flags);
}
CUresult cuStreamWriteValue64_v2_ptsz(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned flags) {
    return cuStreamWriteValue64_v2(own(stream), addr, value, flags);
}

}  // extern "C"
