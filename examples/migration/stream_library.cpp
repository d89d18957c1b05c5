#include "migration.hpp"

namespace migration {

void negate_squares_on(CUstream stream, const kernels& use, const float* from, float* square, float* to, int n) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(float);
    CUdeviceptr input = 0;
    CUdeviceptr squared = 0;
    CUdeviceptr negated = 0;
    must(cuMemAllocAsync(&input, bytes, stream), "cuMemAllocAsync");
    must(cuMemAllocAsync(&squared, bytes, stream), "cuMemAllocAsync");
    must(cuMemcpyHtoDAsync_v2(input, from, bytes, stream), "cuMemcpyHtoDAsync");
    void* of_square[] = {&n, &input, &squared};
    must(cuLaunchKernel(use.square.function(), blocks_for(n), 1, 1, threads, 1, 1, 0, stream, of_square, nullptr),
         "cuLaunchKernel");
    must(cuMemFreeAsync(input, stream), "cuMemFreeAsync");
    must(cuMemcpyDtoHAsync_v2(square, squared, bytes, stream), "cuMemcpyDtoHAsync");
    must(cuMemAllocAsync(&negated, bytes, stream), "cuMemAllocAsync");
    void* of_negate[] = {&n, &squared, &negated};
    must(cuLaunchKernel(use.negate.function(), blocks_for(n), 1, 1, threads, 1, 1, 0, stream, of_negate, nullptr),
         "cuLaunchKernel");
    must(cuMemFreeAsync(squared, stream), "cuMemFreeAsync");
    must(cuMemcpyDtoHAsync_v2(to, negated, bytes, stream), "cuMemcpyDtoHAsync");
    must(cuMemFreeAsync(negated, stream), "cuMemFreeAsync");
}

void count_down_on(CUstream stream, const kernels& use, CUdeviceptr value, CUdeviceptr steps, condition_handle goes_on) {
    void* values[] = {&value, &steps, &goes_on};
    must(cuLaunchKernel(use.count_down.function(), 1, 1, 1, 1, 1, 1, 0, stream, values, nullptr), "cuLaunchKernel");
}

}  // namespace migration
