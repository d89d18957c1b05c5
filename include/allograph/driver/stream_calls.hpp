#pragma once

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

// By the base names: with streams per thread (CUDA_API_PER_THREAD_DEFAULT_STREAM) the headers declare these under no other.

/// Waits until all work on a stream is done. @throws driver_error. Driver: cuStreamSynchronize
inline void stream_synchronize(CUstream stream, source_line where) {
    check(cuStreamSynchronize(stream), "cuStreamSynchronize", where, {{"stream", stream}});
}

/// Frees memory in the order of a stream. @throws driver_error. Driver: cuMemFreeAsync
inline void mem_free_async(CUdeviceptr address, CUstream stream, source_line where) {
    check(cuMemFreeAsync(address, stream), "cuMemFreeAsync", where,
          {{"address", reinterpret_cast<const void*>(address)}, {"stream", stream}});
}

/// Copies to the host in the order of a stream; pageable memory may make it wait. @throws driver_error
/// Driver: cuMemcpyDtoHAsync_v2
inline void memcpy_dtoh_async(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream, source_line where) {
    check(cuMemcpyDtoHAsync(to, from, bytes, stream), "cuMemcpyDtoHAsync", where,
          {{"from", reinterpret_cast<const void*>(from)}, {"bytes", bytes}, {"stream", stream}});
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
