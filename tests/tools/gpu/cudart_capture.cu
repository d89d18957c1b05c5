// Streams captured through the CUDA runtime, with stream-ordered allocation. usage: cudart_capture clean | too_early
#include <cstdio>
#include <cstring>
#include <vector>

#include <cuda_runtime.h>

namespace {

constexpr int count = 1 << 16;

__global__ void fill(float* x, float value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add(const float* x, float* y) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] += x[i];
}

void check(cudaError_t error) {
    if (error != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorName(error));
        std::exit(1);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const bool too_early = argc > 1 && std::strcmp(argv[1], "too_early") == 0;
    cudaStream_t stream, other;
    cudaEvent_t filled, added;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    check(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&added, cudaEventDisableTiming));
    float* out = nullptr;
    check(cudaMalloc(&out, count * sizeof(float)));
    check(cudaMemset(out, 0, count * sizeof(float)));

    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    float* x = nullptr;
    check(cudaMallocAsync(&x, count * sizeof(float), stream));
    fill<<<count / 256, 256, 0, stream>>>(x, 1.0f);
    check(cudaEventRecord(filled, stream));
    check(cudaStreamWaitEvent(other, filled));
    add<<<count / 256, 256, 0, other>>>(x, out);
    check(cudaEventRecord(added, other));
    if (too_early) {
        check(cudaFreeAsync(x, stream));
    }
    check(cudaStreamWaitEvent(stream, added));
    if (!too_early) {
        check(cudaFreeAsync(x, stream));
    }
    cudaGraph_t graph;
    check(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec;
    check(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; ++i) {
        check(cudaGraphLaunch(exec, stream));
    }
    check(cudaStreamSynchronize(stream));
    std::vector<float> host(count);
    check(cudaMemcpy(host.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (const float each : host) {
        sum += each;
    }
    std::printf("sum %.1f\n", sum);
}
