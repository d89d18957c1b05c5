#pragma once

// What both versions share: kernels, results, and a library that only knows streams. None of it is counted.

#include <cuda.h>

#include <cstdint>
#include <vector>

#include <allograph/allograph.hpp>

namespace migration {

namespace ag = allograph;
using condition_handle = unsigned long long;

struct kernels {
    ag::kernel<void(int, const float*, float*)> square;
    ag::kernel<void(int, const float*, float*)> negate;
    ag::kernel<void(long long, float*)> keep_busy;
    ag::kernel<void(const int*, condition_handle)> decide_by_parity;
    ag::kernel<void(const int*, condition_handle)> decide_by_value;
    ag::kernel<void(int, int*)> write_value;
    ag::kernel<void(int*, int*, condition_handle)> count_down;
};

/// What every raw program has in one form or another.
inline void must(CUresult result, const char* call, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    ag::driver::check(result, call, {file, line});
}

constexpr unsigned threads = 256;
constexpr unsigned blocks_for(int n) { return (static_cast<unsigned>(n) + threads - 1) / threads; }

/// Squares, and their negation four ways: freed inside, freed on the stream, freed by another graph, captured.
struct negated_squares {
    std::vector<float> square;
    std::vector<float> freed_inside;
    std::vector<float> freed_on_the_stream;
    std::vector<float> freed_by_another_graph;
    std::vector<float> captured;
    bool address_reused = false;  // the negation lies where the input lay
    bool operator==(const negated_squares&) const = default;
};

negated_squares memory_nodes_raw(const kernels& use, const std::vector<float>& input);
negated_squares memory_nodes(const kernels& use, const std::vector<float>& input);

/// Graph memory in use or held after each step, in bytes.
std::vector<std::uint64_t> footprint_raw(const kernels& use, std::size_t bytes);
std::vector<std::uint64_t> footprint(const kernels& use, std::size_t bytes);

/// What the memory holds after each launch.
std::vector<int> conditional_nodes_raw(const kernels& use);
std::vector<int> conditional_nodes(const kernels& use);

/// Stands for a library that takes a stream: `from` squared to `square`, that negated to `to`, in memory of the stream.
void negate_squares_on(CUstream stream, const kernels& use, const float* from, float* square, float* to, int n);
/// A kernel of such a library.
void count_down_on(CUstream stream, const kernels& use, CUdeviceptr value, CUdeviceptr steps, condition_handle goes_on);

}  // namespace migration
