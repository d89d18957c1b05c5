#pragma once

#include <cuda_runtime_api.h>

#include <allograph/graph/stream.hpp>
#include <allograph/model/kernel.hpp>

namespace allograph {
inline namespace v0 {

/// The kernel of a `__global__` function: `kernel_of(saxpy)`, its signature deduced. The runtime loads its module.
/// @param name  shown in diagnostics, a string that outlives the graph; without it, the driver's name for it
/// @throws driver_error, with the runtime's number for the error
/// Runtime: cudaGetFuncBySymbol. Driver: cuFuncGetName
template <class... Params>
[[nodiscard]] kernel<void(Params...)> kernel_of(void (*symbol)(Params...), const char* name = nullptr,
                                                const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    cudaFunction_t function = nullptr;
    const cudaError_t found = cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(symbol));
    if (found != cudaSuccess) {
        driver::fail(static_cast<CUresult>(found), "cudaGetFuncBySymbol", {}, {file, line});
    }
    if (name == nullptr && cuFuncGetName(&name, function) != CUDA_SUCCESS) {
        name = nullptr;
    }
    return kernel<void(Params...)>(function, name);
}

}  // namespace v0
}  // namespace allograph
