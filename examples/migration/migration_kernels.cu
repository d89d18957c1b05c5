// The kernels of both versions.

extern "C" __global__ void square(int n, const float* x, float* y) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        y[i] = x[i] * x[i];
    }
}

extern "C" __global__ void negate(int n, const float* x, float* y) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        y[i] = -x[i];
    }
}

// Keeps its memory busy for so many clock cycles, so that launches on several streams overlap on a GPU.
extern "C" __global__ void keep_busy(long long cycles, float* memory) {
#ifdef __CUDACC__
    for (const long long start = clock64(); clock64() - start < cycles;) {
    }
#else
    (void)cycles;
#endif
    *memory = 1.0f;
}

extern "C" __global__ void decide_by_parity(const int* value, cudaGraphConditionalHandle decides) {
    cudaGraphSetConditional(decides, static_cast<unsigned>(*value & 1));
}

extern "C" __global__ void decide_by_value(const int* value, cudaGraphConditionalHandle decides) {
    cudaGraphSetConditional(decides, static_cast<unsigned>(*value));
}

extern "C" __global__ void write_value(int value, int* to) { *to = value; }

// Counts `value` down and `steps` up, and ends the loop at zero.
extern "C" __global__ void count_down(int* value, int* steps, cudaGraphConditionalHandle goes_on) {
    *steps = *steps + 1;
    *value = *value - 1;
    if (*value <= 0) {
        cudaGraphSetConditional(goes_on, 0);
    }
}
