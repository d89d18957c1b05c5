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

constexpr int n = 1 << 10;
inline const std::vector<float> host_input(n);
inline std::vector<float> host_result(n);
inline std::vector<float> host_output(n);
inline ag::stream& stream = *new ag::stream;  // for the life of the process: the driver goes before static objects do
inline ag::stream& other_stream = *new ag::stream;

inline CUmodule module = [] {
    CUmodule loaded = nullptr;
    ag::driver::check(cuModuleLoadData(&loaded, ".version 8.0\n.target sm_75\n.address_size 64\n"), "cuModuleLoadData", {});
    return loaded;
}();
inline void do_nothing(const allograph_reference_launch*, void**) {}
inline void end_the_loop(const allograph_reference_launch*, void** parameters) {
    allograph_reference_set_conditional(*static_cast<unsigned long long*>(parameters[2]), 0);
}

/// A kernel of the reference driver.
template <class Signature>
struct loaded;
template <class... Params>
struct loaded<void(Params...)> {
    static ag::kernel<void(Params...)> kernel(const char* name, allograph_reference_kernel stand_in = &do_nothing) {
        const std::size_t sizes[] = {sizeof(Params)...};
        allograph_reference_register_kernel(name, stand_in, sizeof...(Params), sizes);
        CUfunction found = nullptr;
        ag::driver::check(cuModuleGetFunction(&found, module, name), "cuModuleGetFunction", {});
        return ag::kernel<void(Params...)>(found, name);
    }
};
inline const auto saxpy = loaded<void(int, float, const float*, float*)>::kernel("saxpy");
inline const auto forward = loaded<void(int, const float*, float*)>::kernel("forward");
inline const auto step = loaded<void(int, float*)>::kernel("step");
inline const auto decide = loaded<void(int, const float*, unsigned long long)>::kernel("decide", &end_the_loop);
inline const auto follow = loaded<void(float* const*)>::kernel("follow");
inline const CUfunction function = saxpy.function();

struct kernels {
    ag::kernel<void(std::size_t, const float*, float*)> forward{"forward"};
};
inline const kernels real_kernels{loaded<void(std::size_t, const float*, float*)>::kernel("forward_of_a_layer")};

/// The program of the guide.
inline constexpr auto layer = [](auto& g, const kernels& k, std::size_t count) {
    auto x = g.template add_alloc<float>(count);
    auto y = g.template add_alloc<float>(ag::after(x), count);
    auto f = g.add_kernel(ag::after(x, y), k.forward, ag::grid_for(count), count, x.data(), y.data());
    g.add_free(ag::after(f), std::move(x));
    return ag::outputs(std::move(y));
};

/// A graph that nobody owns, anew at each use.
inline const struct {
    operator CUgraph() const { return ag::driver::graph_create({}); }
} raw_graph;
inline CUdeviceptr pool_memory = [] {
    CUdeviceptr address = 0;
    ag::driver::check(cuMemAlloc_v2(&address, n * sizeof(float)), "cuMemAlloc", {});
    return address;
}();

/// A library that only knows streams.
inline void library_call(CUstream on, float* memory, int count) {
    if (memory != nullptr) {
        ag::driver::check(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(memory), 0, static_cast<std::size_t>(count), on),
                          "cuMemsetD32Async", {});
    }
}
inline CUdeviceptr library_allocation(CUstream on) {
    CUdeviceptr address = 0;
    ag::driver::check(cuMemAllocAsync(&address, n * sizeof(float), on), "cuMemAllocAsync", {});
    return address;
}

}  // namespace given
