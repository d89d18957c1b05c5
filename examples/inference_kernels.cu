// What a transformer layer needs beside matrix products. A warp takes a row; on the host, where threads do not meet, a warp has
// one lane.

#ifdef __CUDACC__
constexpr int lanes = 32;
__device__ inline float warp_sum(float mine) {
    for (int apart = 16; apart > 0; apart /= 2) {
        mine += __shfl_xor_sync(0xFFFFFFFFu, mine, apart);
    }
    return mine;
}
__device__ inline float warp_max(float mine) {
    for (int apart = 16; apart > 0; apart /= 2) {
        mine = fmaxf(mine, __shfl_xor_sync(0xFFFFFFFFu, mine, apart));
    }
    return mine;
}
#else
constexpr int lanes = 1;
inline float warp_sum(float mine) { return mine; }
inline float warp_max(float mine) { return mine; }
#endif

__device__ inline int thread_number() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// Each row to mean 0 and variance 1, then scaled and shifted.
extern "C" __global__ void layer_norm(int rows, int width, const float* x, const float* scale, const float* shift, float* y) {
    const int row = thread_number() / lanes;
    if (row >= rows) {
        return;
    }
    const float* from = x + static_cast<long long>(row) * width;
    float* to = y + static_cast<long long>(row) * width;
    float sum = 0;
    for (int i = thread_number() % lanes; i < width; i += lanes) {
        sum += from[i];
    }
    const float mean = warp_sum(sum) / static_cast<float>(width);
    float squares = 0;
    for (int i = thread_number() % lanes; i < width; i += lanes) {
        squares += (from[i] - mean) * (from[i] - mean);
    }
    const float factor = 1.0f / sqrtf(warp_sum(squares) / static_cast<float>(width) + 1e-5f);
    for (int i = thread_number() % lanes; i < width; i += lanes) {
        to[i] = (from[i] - mean) * factor * scale[i] + shift[i];
    }
}

/// Each row to positive values with the sum 1, in place.
extern "C" __global__ void softmax(int rows, int width, float* x) {
    const int row = thread_number() / lanes;
    if (row >= rows) {
        return;
    }
    float* values = x + static_cast<long long>(row) * width;
    float largest = values[0];
    for (int i = thread_number() % lanes; i < width; i += lanes) {
        largest = fmaxf(largest, values[i]);
    }
    largest = warp_max(largest);
    float sum = 0;
    for (int i = thread_number() % lanes; i < width; i += lanes) {
        values[i] = expf(values[i] - largest);
        sum += values[i];
    }
    sum = warp_sum(sum);
    for (int i = thread_number() % lanes; i < width; i += lanes) {
        values[i] /= sum;
    }
}

/// x = gelu(x + bias), by the error function.
extern "C" __global__ void gelu(int count, int width, const float* bias, float* x) {
    if (const int i = thread_number(); i < count) {
        const float v = x[i] + bias[i % width];
        x[i] = 0.5f * v * (1.0f + erff(v * 0.70710678f));
    }
}

/// y = x + change + bias
extern "C" __global__ void add(int count, int width, const float* x, const float* change, const float* bias, float* y) {
    if (const int i = thread_number(); i < count) {
        y[i] = x[i] + change[i] + bias[i % width];
    }
}

/// Products of matrices in row-major order, as many as `batch`: c = alpha a b, or a times b transposed.
struct product_shape {
    int m, n, k, batch;
    int row_of_a, row_of_b, row_of_c;           // from row to row, in elements
    long long next_of_a, next_of_b, next_of_c;  // from matrix to matrix
    float alpha;
    bool b_transposed;
};

/// For machines without cuBLAS: an element a thread.
extern "C" __global__ void product(product_shape s, const float* a, const float* b, float* c) {
    const long long at = thread_number();
    if (at >= static_cast<long long>(s.batch) * s.m * s.n) {
        return;
    }
    const long long column = at % s.n, row = at / s.n % s.m, matrix = at / s.n / s.m;
    const float* from_a = a + matrix * s.next_of_a + row * s.row_of_a;
    const float* from_b = b + matrix * s.next_of_b + (s.b_transposed ? column * s.row_of_b : column);
    float sum = 0;
    for (int i = 0; i < s.k; ++i) {
        sum += from_a[i] * from_b[s.b_transposed ? i : static_cast<long long>(i) * s.row_of_b];
    }
    c[matrix * s.next_of_c + row * s.row_of_c + column] = s.alpha * sum;
}
