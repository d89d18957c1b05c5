#pragma once

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {


inline void stream_synchronize(CUstream stream, source_line where) {
    check(cuStreamSynchronize(stream), "cuStreamSynchronize", where, {{"stream", stream}});
}

inline void mem_free_async(CUdeviceptr address, CUstream stream, source_line where) {
    check(cuMemFreeAsync(address, stream), "cuMemFreeAsync", where, {{"address", reinterpret_cast<const void*>(address)}, {"stream", stream}});
}

inline void memcpy_dtoh_async(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream, source_line where) {
    check(cuMemcpyDtoHAsync_v2(to, from, bytes, stream), "cuMemcpyDtoHAsync_v2", where,
          {{"from", reinterpret_cast<const void*>(from)}, {"bytes", bytes}, {"stream", stream}});
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
