#pragma once

#include <cuda.h>

#include <cstdint>
#include <cstdio>

#include <allograph/graph/capture_waiting.hpp>

namespace allograph {
inline namespace v0 {

/// Memory that a destructor could not free: its stream was capturing, the driver refused, or the graph that was to free it
/// is gone and so is the one that allocated it, with the stream that it was launched on.
struct orphan {
    CUdeviceptr address;  ///< whoever handles it frees it, once
    std::uint64_t bytes;  ///< as the allocation was asked for
    /// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED for a capture, CUDA_ERROR_ILLEGAL_STATE where both graphs are gone, else the
    /// driver's answer.
    CUresult why;
};

/// Called from destructors, on the thread that runs them: it must not throw.
using orphan_handler = void (*)(const orphan&) noexcept;

namespace detail {

inline void report_orphan(const orphan& lost) noexcept {
    const char* name = "?";
    cuGetErrorName(lost.why, &name);
    std::fprintf(stderr, "allograph: %llu bytes at 0x%llx were not freed (%s); set_orphan_handler takes care of such memory\n",
                 static_cast<unsigned long long>(lost.bytes), static_cast<unsigned long long>(lost.address), name);
}

inline orphan_handler& current_orphan_handler() noexcept {
    static orphan_handler handler = &report_orphan;
    return handler;
}

/// Frees on a stream from a destructor: never throws, never touches a stream that captures, and breaks no capture of
/// others. While a capture scope of this thread is open it waits for its end.
inline void free_or_orphan(CUdeviceptr address, std::uint64_t bytes, CUstream stream) noexcept {
    if (capture_waiting::free_later(address, bytes, stream)) {
        return;
    }
    const capture_truce truce;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult why = cuStreamIsCapturing(stream, &status);
    if (why == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE) {
        why = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (why == CUDA_SUCCESS) {
        why = cuMemFreeAsync(address, stream);
    }
    if (why != CUDA_SUCCESS && why != CUDA_ERROR_DEINITIALIZED) {
        current_orphan_handler()(orphan{address, bytes, why});
    }
}

}  // namespace detail

/// Sets what happens to memory that a destructor cannot free; returns the handler before. The first one writes a
/// line to stderr. Set it before other threads destroy buffers.
inline orphan_handler set_orphan_handler(orphan_handler handler) noexcept {
    const orphan_handler before = detail::current_orphan_handler();
    detail::current_orphan_handler() = handler != nullptr ? handler : &detail::report_orphan;
    return before;
}

}  // namespace v0
}  // namespace allograph
