#pragma once

#include <cuda.h>

#include <allograph/model/kernel.hpp>
#include <allograph/model/launch_config.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// A kernel node as the driver takes it. @param arguments  pointers to the values of its parameters
/// @param context  of kernels of a library, which have none of their own
template <class Signature>
[[gnu::always_inline]] inline CUDA_KERNEL_NODE_PARAMS_v2
kernel_parameters(const kernel<Signature>& function, const launch_config& config, CUcontext context, void** arguments) {
    CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
    parameters.func = function.function();
    if (function.function() == nullptr) {
        parameters.kern = function.library_kernel();
        parameters.ctx = context;
    }
    parameters.gridDimX = config.grid.x;
    parameters.gridDimY = config.grid.y;
    parameters.gridDimZ = config.grid.z;
    parameters.blockDimX = config.block.x;
    parameters.blockDimY = config.block.y;
    parameters.blockDimZ = config.block.z;
    parameters.sharedMemBytes = config.shared_bytes;
    parameters.kernelParams = arguments;
    return parameters;
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
