// The program that the driver accepts in silence and that destroys memory of its own: a free that is not ordered after
// the kernel that still writes. Built without checks it runs, and every call answers success. With checks it is refused
// at the line that breaks it.

#include <algorithm>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <allograph/allograph.hpp>
#include <allograph/cudart.hpp>

namespace ag = allograph;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr int n = 1 << 20;
constexpr float written_by_slow = 1.0f;
constexpr float written_to_b = 2.0f;

/// Writes each element some time after it began.
__global__ void slow(int count, long long cycles, float value, float* a) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
         i += static_cast<int>(gridDim.x * blockDim.x)) {
        a[i] = value;
    }
}

__global__ void fill(int count, float value, float* b) {
    for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
         i += static_cast<int>(gridDim.x * blockDim.x)) {
        b[i] = value;
    }
}

constexpr ag::launch_config few_blocks{.grid = {.x = 16}, .block = {.x = 256}};
constexpr long long cycles = 20'000'000;

}  // namespace

TEST_CASE("without checks: every call succeeds, and an innocent buffer is overwritten", "[O3][X9]") {
    const ag::stream stream;
    ag::unchecked_memory_graph g;
    auto a = g.add_alloc<float>(n, ag::named("a"));
    const ag::node a_made = a;
    const auto a_memory = a.data();
    g.add_kernel(ag::after(a), ag::kernel_of(slow), few_blocks, n, cycles, written_by_slow, a_memory);
    const auto freed = g.add_free(ag::after(a_made), std::move(a));  // beside the kernel, not after it
    auto b = g.add_alloc<float>(ag::after(freed), n, ag::named("b"));
    CHECK(b.data().address() == a_memory.address());
    g.add_kernel(ag::after(b), ag::kernel_of(fill), few_blocks, n, written_to_b, b.data());

    auto exec = std::move(g).instantiate(ag::outputs(std::move(b)));
    auto [result] = exec.launch(stream);
    std::vector<float> host(n);
    result.copy_to(host);
    stream.synchronize();
    REQUIRE(cudaGetLastError() == cudaSuccess);
    const auto wrong = std::count_if(host.begin(), host.end(), [](float v) { return v != written_to_b; });
    WARN("elements of the innocent buffer that hold another's value: " << wrong << " of " << n);
    // How many depends on timing; that nothing complained does not.
    CHECK(std::all_of(host.begin(), host.end(), [](float v) { return v == written_to_b || v == written_by_slow; }));
}

TEST_CASE("with checks: the free is refused at its line", "[O3]") {
    ag::memory_graph g;
    auto a = g.add_alloc<float>(n, ag::named("a"));
    const ag::node a_made = a;
    const auto k = g.add_kernel(ag::after(a), ag::kernel_of(slow, "slow"), few_blocks, n, cycles, written_by_slow, a.data());
    std::string text;
    try {
        g.add_free(ag::after(a_made), std::move(a));
    } catch (const ag::misuse& mistake) {
        CHECK(mistake.rule() == std::string("O3"));
        text = mistake.what();
    }
    CHECK_THAT(text, ContainsSubstring("the free of 'a'") && ContainsSubstring("kernel 'slow'") &&
                         ContainsSubstring("silent_corruption.cu:"));
    CHECK_FALSE(a.spent());
    g.add_free(ag::after(k), std::move(a));
    auto exec = std::move(g).instantiate();
    const ag::stream stream;
    exec.launch(stream);
    stream.synchronize();
}

TEST_CASE("with checks: a use after the free says whose memory it would touch", "[O2][X9]") {
    ag::memory_graph g;
    auto a = g.add_alloc<float>(n, ag::named("a"));
    const ag::node a_made = a;
    const auto a_memory = a.data();
    const auto freed = g.add_free(ag::after(a_made), std::move(a));
    auto b = g.add_alloc<float>(ag::after(freed), n, ag::named("b"));
    std::string text;
    try {
        g.add_kernel(ag::after(b), ag::kernel_of(slow, "slow"), few_blocks, n, cycles, written_by_slow, a_memory);
    } catch (const ag::misuse& mistake) {
        CHECK(mistake.rule() == std::string("O2"));
        text = mistake.what();
    }
    CHECK_THAT(text, ContainsSubstring("[X9]") && ContainsSubstring("belong to 'b'"));
    const ag::node b_made = b;
    g.add_free(ag::after(b_made), std::move(b));
}
