// Kernels from __global__ symbols, cudaStream_t, and clusters: what needs nvcc and the CUDA runtime.

#include <stdexcept>
#include <vector>

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <catch2/catch_test_macros.hpp>

#include <allograph/allograph.hpp>
#include <allograph/cudart.hpp>

namespace ag = allograph;

namespace {

struct parameter_pair {
    int first;
    float second;
};

__global__ void scale_add(int n, float a, const float* x, float* y) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

template <class T>
__global__ void fill(T* to, unsigned n, T value) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = value;
    }
}

__global__ void take_by_value(parameter_pair pair, signed char small, double* to) {
    to[0] = pair.first + pair.second;
    to[1] = small;
}

__global__ void nothing() {}

/// Each block writes the rank and the size that it has in its cluster.
__global__ void describe_cluster(unsigned* ranks, unsigned* sizes) {
#if __CUDA_ARCH__ >= 900
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x == 0) {
        ranks[blockIdx.x] = cluster.block_rank();
        sizes[blockIdx.x] = cluster.num_blocks();
    }
#else
    (void)ranks;
    (void)sizes;
#endif
}

/// A stream of the runtime, owned.
class runtime_stream {
public:
    runtime_stream() {
        if (cudaStreamCreate(&stream_) != cudaSuccess) {  // no REQUIRE: nvcc 13.0 does not end when a constructor holds one
            throw std::runtime_error("cudaStreamCreate");
        }
    }
    runtime_stream(const runtime_stream&) = delete;
    runtime_stream& operator=(const runtime_stream&) = delete;
    ~runtime_stream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

template <class T>
std::vector<T> contents(const ag::stream_buffer<T>& buffer) {
    std::vector<T> host(buffer.size());
    buffer.copy_to(host);
    REQUIRE(cudaStreamSynchronize(buffer.stream()) == cudaSuccess);
    return host;
}

}  // namespace

TEST_CASE("kernel_of deduces the signature", "[D1]") {
    const auto saxpy = ag::kernel_of(scale_add);
    STATIC_REQUIRE(std::is_same_v<decltype(ag::kernel_of(scale_add)), ag::kernel<void(int, float, const float*, float*)>>);
    STATIC_REQUIRE(std::is_same_v<decltype(ag::kernel_of(fill<float>)), ag::kernel<void(float*, unsigned, float)>>);
    STATIC_REQUIRE(std::is_same_v<decltype(ag::kernel_of(nothing)), ag::kernel<void()>>);
    CHECK(saxpy.has_function());
    REQUIRE(saxpy.name() != nullptr);
    CHECK(std::string(saxpy.name()).find("scale_add") != std::string::npos);
    CHECK(ag::kernel_of(nothing, "my name").name() == std::string("my name"));
}

TEST_CASE("kernels of symbols run, on a stream of the runtime", "[D1][X8]") {
    constexpr int n = 100'000;
    const runtime_stream stream;
    const std::vector<float> input(n, 3.0f);
    ag::memory_graph g;
    auto x = g.add_alloc<float>(n, ag::named("x"));
    auto y = g.add_alloc<float>(ag::after(x), n, ag::named("y"));
    const auto in = g.add_memcpy(ag::after(x), x.span(), input);
    const auto ones = g.add_kernel(ag::after(y), ag::kernel_of(fill<float>), ag::grid_for(n), y.data(), n, 1.0f);
    const auto k = g.add_kernel(ag::after(in, ones), ag::kernel_of(scale_add), ag::grid_for(n), n, 2.0f, x.data(), y.data());
    g.add_free(ag::after(k), std::move(x));
    auto exec = std::move(g).instantiate(ag::outputs(std::move(y)), ag::upload_to{stream});
    for (int i = 0; i < 3; ++i) {
        auto [result] = exec.launch(stream);
        CHECK(result.stream() == static_cast<cudaStream_t>(stream));
        CHECK(contents(result) == std::vector<float>(n, 7.0f));
    }
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("values of every size arrive", "[D1]") {
    const runtime_stream stream;
    ag::memory_graph g;
    auto to = g.add_alloc<double>(2);
    g.add_kernel(ag::after(to), ag::kernel_of(take_by_value), ag::launch_config{}, parameter_pair{3, 0.5f}, -7, to.data());
    auto exec = std::move(g).instantiate(ag::outputs(std::move(to)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<double>{3.5, -7.0});
}

TEST_CASE("blocks of a cluster know each other", "[D1]") {
    int major = 0;
    REQUIRE(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess);
    if (major < 9) {
        SKIP("clusters need compute capability 9");
    }
    const runtime_stream stream;
    constexpr unsigned blocks = 8;
    const unsigned size = 4;
    ag::memory_graph g;
    auto ranks = g.add_alloc<unsigned>(blocks);
    auto sizes = g.add_alloc<unsigned>(blocks);
    g.add_kernel(ag::after(ranks, sizes), ag::kernel_of(describe_cluster),
                 ag::launch_config{.grid = {.x = blocks}, .block = {.x = 32}, .cluster = {.x = size, .y = 1, .z = 1}},
                 ranks.data(), sizes.data());
    auto exec = std::move(g).instantiate(ag::outputs(std::move(ranks), std::move(sizes)));
    auto [rank_buffer, size_buffer] = exec.launch(stream);
    CHECK(contents(rank_buffer) == std::vector<unsigned>{0, 1, 2, 3, 0, 1, 2, 3});
    CHECK(contents(size_buffer) == std::vector<unsigned>(blocks, size));
}

TEST_CASE("a cluster that the device cannot run is refused, and the graph says so", "[faults]") {
    ag::memory_graph g;
    const auto config =
        ag::launch_config{.grid = {.x = 64}, .block = {.x = 32}, .cluster = {.x = 64, .y = 1, .z = 1}};  // 16 at the most
    bool refused = false;
    try {
        g.add_kernel(ag::kernel_of(nothing), config);
        auto exec = std::move(g).instantiate();
        const runtime_stream stream;
        exec.launch(stream);
    } catch (const ag::driver_error& error) {
        refused = true;
        INFO(error.what());
        CHECK(error.result() != CUDA_SUCCESS);
        CHECK(error.where().known());
    }
    CHECK(refused);
}

TEST_CASE("the legacy and the per-thread stream", "[P3]") {
    ag::memory_graph g;
    auto x = g.add_alloc<int>(10);
    g.add_kernel(ag::after(x), ag::kernel_of(fill<int>), ag::grid_for(10), x.data(), 10, 5);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    for (const cudaStream_t stream : {cudaStream_t{nullptr}, cudaStreamLegacy, cudaStreamPerThread}) {
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<int>(10, 5));
        result.free();
        REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    }
}

TEST_CASE("memory of the runtime passes as raw pointers, and uses say what they touch", "[O1]") {
    const runtime_stream stream;
    float* raw = nullptr;
    REQUIRE(cudaMalloc(&raw, 100 * sizeof(float)) == cudaSuccess);
    {
        ag::memory_graph g;
        auto y = g.add_alloc<float>(100);
        const auto set = g.add_memset(ag::after(y), y.span(), 1.0f);
        const auto x = g.add_memset(ag::device_span(ag::device_ptr<float>(raw), 100), 4.0f);
        g.add_kernel(ag::after(set, x), ag::kernel_of(scale_add), ag::grid_for(100), 100, 2.0f, raw, y.data().get(),
                     ag::uses(ag::writes(y)));
        auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<float>(100, 9.0f));
    }
    REQUIRE(cudaFree(raw) == cudaSuccess);
}
