#pragma once

// Kernels that run on both machines. They are written once, as CUDA C++ in a .cu file: `allograph_example(NAME KERNELS FILE)`
// has nvcc make a device image of it, and the program includes the same file behind this header, where the host compiler makes
// of each kernel a plain function, which the reference driver runs, one thread after the other.
//
//     #include "kernels.hpp"
//     #include "blur_kernels.cu"       // extern "C" __global__ void blur(int n, const float* x, float* y) { ... }
//     #include "blur_kernels.image.h"  // what nvcc made of it: blur_kernels[]
//
//     const example::kernel_module kernels(blur_kernels);
//     const auto blur_kernel = kernels.get<blur>("blur");  // a kernel<void(int, const float*, float*)>
//
// On the host no thread waits for another one: `block_sum` is there for sums, shared memory is not.

#include <cuda.h>
#include <driver_types.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <allograph/allograph.hpp>
#include <allograph_reference/reference_driver.h>

// The words of CUDA C++ that the kernels use, for the host.
#undef __global__
#undef __device__
#undef __host__
#define __global__
#define __device__
#define __host__

inline thread_local dim3 gridDim, blockDim;
inline thread_local uint3 blockIdx, threadIdx;

/// Values are added one after the other: the order of the threads decides a floating-point sum on a GPU, not here.
template <class T>
T atomicAdd(T* to, std::type_identity_t<T> value) {
    const T before = *to;
    *to += value;
    return before;
}

inline void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
    allograph_reference_set_conditional(handle, value);
}

namespace example {

template <class Function>
struct host_kernel;

/// What the reference driver calls in place of a kernel.
template <class... Params>
struct host_kernel<void (*)(Params...)> {
    using kernel = allograph::kernel<void(Params...)>;

    template <void (*Function)(Params...)>
    static void stand_in(const char* name) {
        constexpr std::size_t sizes[] = {sizeof(Params)..., 0};
        allograph_reference_register_kernel(name, &run<Function>, sizeof...(Params), sizes);
        constexpr bool read_only[] = {(std::is_pointer_v<Params> && std::is_const_v<std::remove_pointer_t<Params>>)..., false};
        for (std::size_t i = 0; i < sizeof...(Params); ++i) {
            if (read_only[i]) {
                allograph_reference_set_parameter_read_only(name, i);
            }
        }
    }

private:
    template <void (*Function)(Params...)>
    static void run(const allograph_reference_launch* launch, void** values) {
        gridDim = dim3(launch->grid[0], launch->grid[1], launch->grid[2]);
        blockDim = dim3(launch->block[0], launch->block[1], launch->block[2]);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            const std::tuple<Params...> parameters(*static_cast<Params*>(values[I])...);
            each(gridDim, blockIdx, [&] { each(blockDim, threadIdx, [&] { std::apply(Function, parameters); }); });
        }(std::index_sequence_for<Params...>{});
    }
    template <class Do>
    static void each(const dim3& count, uint3& at, Do&& run_at) {
        for (at.z = 0; at.z < count.z; ++at.z) {
            for (at.y = 0; at.y < count.y; ++at.y) {
                for (at.x = 0; at.x < count.x; ++at.x) {
                    run_at();
                }
            }
        }
    }
};

/// The kernels of one .cu file. Needs a current context: any graph or stream made one. It outlives what is built of them.
class kernel_module {
public:
    /// @param image  what nvcc made of the file
    explicit kernel_module(const void* image) {
        allograph::driver::check(cuModuleLoadData(&module_, image), "cuModuleLoadData", {__FILE__, __LINE__});
    }
    kernel_module(const kernel_module&) = delete;
    kernel_module& operator=(const kernel_module&) = delete;
    ~kernel_module() { cuModuleUnload(module_); }

    /// @tparam Function  the kernel, as the host compiler sees it; its signature is the kernel's
    /// @param name       the same as text, a string literal
    template <auto Function>
    [[nodiscard]] auto get(const char* name) const {
        using host = host_kernel<decltype(Function)>;
        host::template stand_in<Function>(name);
        CUfunction found = nullptr;
        if (const CUresult result = cuModuleGetFunction(&found, module_, name); result != CUDA_SUCCESS) {
            throw allograph::driver_error(result, "cuModuleGetFunction", std::string("name = ") + name, {__FILE__, __LINE__});
        }
        return typename host::kernel(found, name);
    }

private:
    CUmodule module_ = nullptr;
};

}  // namespace example
