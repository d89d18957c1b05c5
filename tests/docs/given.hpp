#pragma once

// What the code blocks of the documentation may name without saying where it comes from; see blocks.py.

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <vector>

#include <allograph/allograph.hpp>
#include <allograph/audit.hpp>
#include <allograph/capture.hpp>
#include <allograph/graph/adopt.hpp>
#include <allograph/graph/replace.hpp>
#include <allograph/graph/scoped_trim.hpp>
#include <allograph/plan.hpp>
#include <allograph_reference/reference_driver.h>

namespace given {

namespace ag = allograph;
using namespace allograph::literals;
using namespace std::chrono_literals;

constexpr int n = 1 << 20;
inline const std::vector<float> host_input(n);
inline std::vector<float> host_result(n);
inline std::vector<float> host_output(n);
inline ag::stream& stream = *static_cast<ag::stream*>(nullptr);  // blocks are compiled, not run
inline ag::stream& other_stream = stream;
inline CUevent event = nullptr;
inline CUgraph raw_graph = nullptr;
inline CUfunction function = nullptr;
inline CUdeviceptr pool_memory = 0;

inline const ag::kernel<void(int, float, const float*, float*)> saxpy("saxpy");
inline const ag::kernel<void(int, const float*, float*)> forward("forward");
inline const ag::kernel<void(int, float*)> step("step");
inline const ag::kernel<void(int, const float*, unsigned long long)> decide("decide");
inline const ag::kernel<void(float* const*)> follow("follow");

struct kernels {
    ag::kernel<void(std::size_t, const float*, float*)> forward{"forward"};
};
inline const kernels real_kernels;

/// A library that only knows streams.
inline void library_call(CUstream, float*, int) {}
inline CUdeviceptr library_allocation(CUstream) { return 0; }

}  // namespace given
