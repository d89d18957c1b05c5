#pragma once

/// The sum of `mine` over a block of one dimension, complete in its last thread, where `threadIdx.x == blockDim.x - 1`, and in no
/// other. Every thread of the block calls it. The order of the additions is fixed, on each machine another one.
/// @tparam Which  numbers the sums of one kernel
template <int Which = 0, class T>
__device__ T block_sum(T mine) {
#ifdef __CUDACC__
    __shared__ T of_warp[32];
    __syncthreads();  // in a loop, the sum before was read
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const unsigned lanes = min(32u, blockDim.x - 32 * warp);
    const unsigned mask = lanes == 32 ? 0xFFFFFFFFu : (1u << lanes) - 1;
    for (unsigned step = 1; step < 32; step *= 2) {
        const T before = __shfl_up_sync(mask, mine, step);
        mine = lane >= step ? mine + before : mine;
    }
    if (lane == lanes - 1) {
        of_warp[warp] = mine;
    }
    __syncthreads();
    T sum{};
    if (threadIdx.x == blockDim.x - 1) {
        for (unsigned w = 0; w <= warp; ++w) {
            sum += of_warp[w];
        }
    }
    return sum;
#else
    // The threads of a block run one after the other: each goes on from the one before.
    static thread_local T sum{};
    sum = threadIdx.x == 0 ? mine : sum + mine;
    return sum;
#endif
}
