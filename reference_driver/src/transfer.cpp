// Copies, memsets, kernels and host functions on streams. Each is the payload of a node: run at once, or added where the stream
// is captured.
#include "capture.hpp"
#include "graph.hpp"
#include "stream.hpp"

using namespace allograph_reference;

namespace {

CUstream legacy_stream() { return nullptr; }

bool captured(CUstream handle) {
    const stream* on = find_stream(handle);
    return on != nullptr && on->capturing != nullptr;
}

// Outside of a capture an address must be accessible now, not only known [X8].
bool accessible(const touched_range& range) {
    if (is_device_address(range.address))
        return device_range_accessible(range.address, range.bytes, current_context());
    return true;
}

CUresult copy(const CUDA_MEMCPY3D& what, CUstream on) {
    if (what.WidthInBytes == 0 || what.Height == 0 || what.Depth == 0)
        return CUDA_SUCCESS;
    node_data data;
    if (const CUresult result = make_memcpy(what, handle_of<CUcontext>(current_context()), data); result != CUDA_SUCCESS)
        return result;
    if (!captured(on))
        for (const touched_range& range : touched_by(what))
            if (!accessible(range))
                return CUDA_ERROR_INVALID_VALUE;
    return issue_or_capture(on, std::move(data));
}

CUDA_MEMCPY3D line(CUmemorytype to_type, CUmemorytype from_type, std::uint64_t to, std::uint64_t from, std::size_t bytes) {
    CUDA_MEMCPY3D what{};
    what.dstMemoryType = to_type;
    what.srcMemoryType = from_type;
    what.dstDevice = to;
    what.srcDevice = from;
    what.dstHost = reinterpret_cast<void*>(to);
    what.srcHost = reinterpret_cast<const void*>(from);
    what.WidthInBytes = bytes;
    what.Height = what.Depth = 1;
    return what;
}

CUDA_MEMCPY3D as_volume(const CUDA_MEMCPY2D& flat) {
    CUDA_MEMCPY3D what{};
    what.srcXInBytes = flat.srcXInBytes;
    what.srcY = flat.srcY;
    what.srcMemoryType = flat.srcMemoryType;
    what.srcHost = flat.srcHost;
    what.srcDevice = flat.srcDevice;
    what.srcArray = flat.srcArray;
    what.srcPitch = flat.srcPitch;
    what.dstXInBytes = flat.dstXInBytes;
    what.dstY = flat.dstY;
    what.dstMemoryType = flat.dstMemoryType;
    what.dstHost = flat.dstHost;
    what.dstDevice = flat.dstDevice;
    what.dstArray = flat.dstArray;
    what.dstPitch = flat.dstPitch;
    what.WidthInBytes = flat.WidthInBytes;
    what.Height = flat.Height;
    what.Depth = 1;
    return what;
}

constexpr CUmemorytype host = CU_MEMORYTYPE_HOST;
constexpr CUmemorytype device = CU_MEMORYTYPE_DEVICE;
constexpr CUmemorytype unified = CU_MEMORYTYPE_UNIFIED;

std::uint64_t number(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

CUresult set(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element, std::size_t width, std::size_t height,
             CUstream on) {
    if (width == 0 || height == 0)
        return CUDA_SUCCESS;
    if (to % element != 0)
        return CUDA_ERROR_INVALID_VALUE;
    memset_data data{{to, pitch, value, element, width, height}, handle_of<CUcontext>(current_context())};
    const touched_range range = touched_by(data.set);
    if (!is_device_address(to) && !state().host_blocks.contains(to))
        return CUDA_ERROR_INVALID_VALUE;
    if (!captured(on) && !accessible(range))
        return CUDA_ERROR_INVALID_VALUE;
    return issue_or_capture(on, data);
}

// Calls without a stream run on the legacy stream, which a capture in progress forbids.
CUresult check_legacy() { return invalidate_unsafe_captures() ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS; }

CUresult launch_kernel(const CUDA_KERNEL_NODE_PARAMS_v2& params, CUstream on, const CUlaunchAttribute* attributes,
                       unsigned count) {
    kernel_data kernel;
    if (const CUresult result = make_kernel(params, kernel); result != CUDA_SUCCESS)
        return result;
    for (unsigned index = 0; index < count; ++index)
        kernel.attributes[attributes[index].id] = attributes[index].value;
    return issue_or_capture(on, std::move(kernel));
}

}  // namespace

extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpy, context);
    if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)
        return result;
    return copy(line(unified, unified, to, from, bytes), legacy_stream());
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyAsync, context);
    return copy(line(unified, unified, to, from, bytes), on);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyHtoD_v2, context);
    if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)
        return result;
    return copy(line(device, host, to, number(from), bytes), legacy_stream());
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyDtoH_v2, context);
    if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)
        return result;
    return copy(line(host, device, number(to), from, bytes), legacy_stream());
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyDtoD_v2, context);
    if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)
        return result;
    return copy(line(device, device, to, from, bytes), legacy_stream());
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyHtoDAsync_v2, context);
    return copy(line(device, host, to, number(from), bytes), on);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyDtoHAsync_v2, context);
    return copy(line(host, device, number(to), from, bytes), on);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyDtoDAsync_v2, context);
    return copy(line(device, device, to, from, bytes), on);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyPeer, context);
    if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)
        return result;
    return copy(line(device, device, to, from, bytes), legacy_stream());
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, std::size_t bytes, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpyPeerAsync, context);
    if (stream* where = find_stream(on); where != nullptr && invalidate_capture_of(*where))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;  // also between addresses of one device
    return copy(line(device, device, to, from, bytes), on);
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* what) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpy2D_v2, context);
    if (what == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)
        return result;
    return copy(as_volume(*what), legacy_stream());
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* what) { return cuMemcpy2D_v2(what); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* what, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpy2DAsync_v2, context);
    return what == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(as_volume(*what), on);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* what) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpy3D_v2, context);
    if (what == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)
        return result;
    return copy(*what, legacy_stream());
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* what, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemcpy3DAsync_v2, context);
    return what == nullptr ? CUDA_ERROR_INVALID_VALUE : copy(*what, on);
}

#define ALLOGRAPH_REFERENCE_MEMSET(name, type, element)                                                                          \
    CUresult cuMemset##name##_v2(CUdeviceptr to, type value, std::size_t count) {                                                \
        ALLOGRAPH_REFERENCE_ENTER(cuMemset##name##_v2, context);                                                                 \
        if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)                                                      \
            return result;                                                                                                       \
        return set(to, 0, value, element, count, 1, legacy_stream());                                                            \
    }                                                                                                                            \
    CUresult cuMemset##name##Async(CUdeviceptr to, type value, std::size_t count, CUstream on) {                                 \
        ALLOGRAPH_REFERENCE_ENTER(cuMemset##name##Async, context);                                                               \
        return set(to, 0, value, element, count, 1, on);                                                                         \
    }
ALLOGRAPH_REFERENCE_MEMSET(D8, unsigned char, 1)
ALLOGRAPH_REFERENCE_MEMSET(D16, unsigned short, 2)
ALLOGRAPH_REFERENCE_MEMSET(D32, unsigned, 4)

#define ALLOGRAPH_REFERENCE_MEMSET_2D(name, type, element)                                                                       \
    CUresult cuMemset##name##_v2(CUdeviceptr to, std::size_t pitch, type value, std::size_t width, std::size_t height) {         \
        ALLOGRAPH_REFERENCE_ENTER(cuMemset##name##_v2, context);                                                                 \
        if (const CUresult result = check_legacy(); result != CUDA_SUCCESS)                                                      \
            return result;                                                                                                       \
        return set(to, pitch, value, element, width, height, legacy_stream());                                                   \
    }                                                                                                                            \
    CUresult cuMemset##name##Async(CUdeviceptr to, std::size_t pitch, type value, std::size_t width, std::size_t height,         \
                                   CUstream on) {                                                                                \
        ALLOGRAPH_REFERENCE_ENTER(cuMemset##name##Async, context);                                                               \
        return set(to, pitch, value, element, width, height, on);                                                                \
    }
ALLOGRAPH_REFERENCE_MEMSET_2D(D2D8, unsigned char, 1)
ALLOGRAPH_REFERENCE_MEMSET_2D(D2D16, unsigned short, 2)
ALLOGRAPH_REFERENCE_MEMSET_2D(D2D32, unsigned, 4)

CUresult cuLaunchKernel(CUfunction code, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared_bytes, CUstream on, void** params, void** extra) {
    ALLOGRAPH_REFERENCE_ENTER(cuLaunchKernel, context);
    return launch_kernel({code, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, params, extra, nullptr, nullptr},
                         on, nullptr, 0);
}

CUresult cuLaunchCooperativeKernel(CUfunction code, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream on, void** params) {
    ALLOGRAPH_REFERENCE_ENTER(cuLaunchCooperativeKernel, context);
    return launch_kernel(
        {code, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, params, nullptr, nullptr, nullptr}, on, nullptr,
        0);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction code, void** params, void** extra) {
    ALLOGRAPH_REFERENCE_ENTER(cuLaunchKernelEx, context);
    if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
        return CUDA_ERROR_INVALID_VALUE;
    return launch_kernel({code, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX, config->blockDimY,
                          config->blockDimZ, config->sharedMemBytes, params, extra, nullptr, nullptr},
                         config->hStream, config->attrs, config->numAttrs);
}

CUresult cuLaunchHostFunc(CUstream on, CUhostFn fn, void* user_data) {
    ALLOGRAPH_REFERENCE_ENTER(cuLaunchHostFunc, context);
    return fn == nullptr ? CUDA_ERROR_INVALID_VALUE : issue_or_capture(on, host_data{fn, user_data});
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* user_data, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamAddCallback, context);
    stream* on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (callback == nullptr || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (invalidate_capture_of(*on))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    const callback_scope inside;
    callback(handle, ready(*on), user_data);
    return CUDA_SUCCESS;
}

CUresult cuStreamBatchMemOp_v2(CUstream on, unsigned count, CUstreamBatchMemOpParams* operations, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamBatchMemOp_v2, context);
    if (operations == nullptr || count == 0 || count > 256)
        return CUDA_ERROR_INVALID_VALUE;
    return issue_or_capture(on, batch_data{handle_of<CUcontext>(current_context()), flags, {operations, operations + count}});
}

CUresult cuStreamWriteValue32_v2(CUstream on, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamWriteValue32_v2, context);
    CUstreamBatchMemOpParams operation{};
    operation.writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, address, {value}, flags, 0};
    return issue_or_capture(on, batch_data{handle_of<CUcontext>(current_context()), 0, {operation}});
}

CUresult cuStreamWriteValue64_v2(CUstream on, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamWriteValue64_v2, context);
    CUstreamBatchMemOpParams operation{};
    operation.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    operation.writeValue.address = address;
    operation.writeValue.value64 = value;
    operation.writeValue.flags = flags;
    return issue_or_capture(on, batch_data{handle_of<CUcontext>(current_context()), 0, {operation}});
}

CUresult cuStreamWaitValue32_v2(CUstream on, CUdeviceptr address, cuuint32_t value, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamWaitValue32_v2, context);
    CUstreamBatchMemOpParams operation{};
    operation.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operation.waitValue.address = address;
    operation.waitValue.value = value;
    operation.waitValue.flags = flags;
    return issue_or_capture(on, batch_data{handle_of<CUcontext>(current_context()), 0, {operation}});
}

CUresult cuStreamWaitValue64_v2(CUstream on, CUdeviceptr address, cuuint64_t value, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamWaitValue64_v2, context);
    CUstreamBatchMemOpParams operation{};
    operation.operation = CU_STREAM_MEM_OP_WAIT_VALUE_64;
    operation.waitValue.address = address;
    operation.waitValue.value64 = value;
    operation.waitValue.flags = flags;
    return issue_or_capture(on, batch_data{handle_of<CUcontext>(current_context()), 0, {operation}});
}

}  // extern "C"
