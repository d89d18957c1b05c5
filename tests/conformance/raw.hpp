#pragma once

// What the raw conformance tests share: the driver API by itself, with no header of the library. The same program must pass on a
// GPU (driver 13.0, H200) and on the reference driver; what it states is what the real driver answered.
//
// Tags: [raw], the id of the rule, [unsure] where no measurement stands behind the statement, [.oom] where the test costs the
// process its device memory and must run alone.

#include <cuda.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/catch_tostring.hpp>

#if __has_include(<allograph_reference/reference_driver.h>)
#include <allograph_reference/reference_driver.h>
#define RAW_HAS_REFERENCE_HEADER 1
#endif

template <>
struct Catch::StringMaker<CUresult> {
    static std::string convert(CUresult value) {
        const char* name = nullptr;
        return cuGetErrorName(value, &name) == CUDA_SUCCESS && name != nullptr ? name : std::to_string(static_cast<int>(value));
    }
};

namespace raw {

inline constexpr CUresult ok = CUDA_SUCCESS;
inline constexpr CUresult invalid = CUDA_ERROR_INVALID_VALUE;
inline constexpr CUresult unsupported = CUDA_ERROR_NOT_SUPPORTED;
inline constexpr CUresult out_of_memory = CUDA_ERROR_OUT_OF_MEMORY;

inline constexpr std::uint64_t chunk = std::uint64_t{32} << 20;
inline constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

using nodes = std::vector<CUgraphNode>;

/// The kernels of raw_kernels.cpp, as PTX and as host functions.
extern const char* const kernel_image;
void register_host_kernels();

/// The first two devices, a context and a stream on each, and the kernels. Made once for the process.
struct machine {
    int devices = 0;
    CUdevice device[2] = {0, 0};
    CUcontext context[2] = {nullptr, nullptr};
    CUstream stream[2] = {nullptr, nullptr};
    CUmodule module = nullptr;
    CUfunction fill = nullptr;       // (int* p, int value, int count)
    CUfunction slow_fill = nullptr;  // the same, later
    CUfunction add = nullptr;        // (const int* a, int* b, int count): b += a

    machine() {
        REQUIRE(cuInit(0) == ok);
        REQUIRE(cuDeviceGetCount(&devices) == ok);
        REQUIRE(devices >= 1);
        for (int index = devices < 2 ? devices - 1 : 1; index >= 0; --index) {
            REQUIRE(cuDeviceGet(&device[index], index) == ok);
            REQUIRE(cuDevicePrimaryCtxRetain(&context[index], device[index]) == ok);
            REQUIRE(cuCtxSetCurrent(context[index]) == ok);
            REQUIRE(cuStreamCreate(&stream[index], CU_STREAM_NON_BLOCKING) == ok);
        }
        register_host_kernels();
        REQUIRE(cuModuleLoadData(&module, kernel_image) == ok);
        REQUIRE(cuModuleGetFunction(&fill, module, "raw_fill") == ok);
        REQUIRE(cuModuleGetFunction(&slow_fill, module, "raw_slow_fill") == ok);
        REQUIRE(cuModuleGetFunction(&add, module, "raw_add") == ok);
    }
};

inline machine& here() {
    static machine& only = *new machine;
    return only;
}
inline CUstream stream() { return here().stream[0]; }

/// A graph, destroyed at the end of the test unless its ownership was moved.
class graph {
public:
    graph() {
        here();
        REQUIRE(cuGraphCreate(&handle_, 0) == ok);
    }
    explicit graph(CUgraph handle) : handle_(handle) {}
    graph(const graph&) = delete;
    graph& operator=(const graph&) = delete;
    ~graph() {
        if (handle_ != nullptr)
            cuGraphDestroy(handle_);
    }
    operator CUgraph() const { return handle_; }  // a test reads like the calls it makes
    CUgraph release() {
        const CUgraph last = handle_;
        handle_ = nullptr;
        return last;
    }
    CUresult destroy() { return cuGraphDestroy(release()); }

private:
    CUgraph handle_ = nullptr;
};

/// An executable; `result` is what instantiating answered.
class executable {
public:
    explicit executable(CUgraph from, unsigned long long flags = 0) : result(cuGraphInstantiateWithFlags(&handle_, from, flags)) {
        if (result != ok)
            handle_ = nullptr;
    }
    executable(const executable&) = delete;
    executable& operator=(const executable&) = delete;
    ~executable() {
        if (handle_ != nullptr)
            cuGraphExecDestroy(handle_);
    }
    operator CUgraphExec() const { return handle_; }
    CUresult destroy() {
        const CUgraphExec last = handle_;
        handle_ = nullptr;
        return cuGraphExecDestroy(last);
    }
    /// Launches and waits: the first answer that is not success.
    CUresult launch(CUstream on = stream()) const {
        const CUresult launched = cuGraphLaunch(handle_, on);
        const CUresult waited = cuStreamSynchronize(on);
        return launched != ok ? launched : waited;
    }

private:
    CUgraphExec handle_ = nullptr;

public:
    CUresult result;
};

inline CUDA_MEM_ALLOC_NODE_PARAMS alloc_params(std::size_t bytes, CUdevice device = 0) {
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    std::memset(&params, 0, sizeof params);
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.poolProps.location.id = device;
    params.bytesize = bytes;
    return params;
}

struct added {
    CUresult result = ok;
    CUgraphNode node = nullptr;
    CUdeviceptr address = 0;
};

inline added add_alloc(CUgraph to, const CUDA_MEM_ALLOC_NODE_PARAMS& wanted, const nodes& after = {}) {
    CUDA_MEM_ALLOC_NODE_PARAMS params = wanted;
    added made;
    made.result = cuGraphAddMemAllocNode(&made.node, to, after.data(), after.size(), &params);
    made.address = params.dptr;
    return made;
}
inline added add_alloc(CUgraph to, std::size_t bytes, const nodes& after = {}) {
    return add_alloc(to, alloc_params(bytes), after);
}

inline added add_free(CUgraph to, CUdeviceptr address, const nodes& after = {}) {
    added made;
    made.result = cuGraphAddMemFreeNode(&made.node, to, after.data(), after.size(), address);
    return made;
}

inline CUDA_MEMSET_NODE_PARAMS memset_params(CUdeviceptr address, std::size_t bytes, unsigned value = 7) {
    CUDA_MEMSET_NODE_PARAMS params;
    std::memset(&params, 0, sizeof params);
    params.dst = address;
    params.elementSize = 1;
    params.width = bytes;
    params.height = 1;
    params.value = value;
    return params;
}

inline added add_memset(CUgraph to, CUdeviceptr address, std::size_t bytes, const nodes& after = {}, int device = 0,
                        unsigned value = 7) {
    const CUDA_MEMSET_NODE_PARAMS params = memset_params(address, bytes, value);
    added made;
    made.result = cuGraphAddMemsetNode(&made.node, to, after.data(), after.size(), &params, here().context[device]);
    return made;
}

inline CUDA_MEMCPY3D to_device(CUdeviceptr to, const void* from, std::size_t bytes) {
    CUDA_MEMCPY3D copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.dstDevice = to;
    copy.WidthInBytes = bytes;
    copy.Height = copy.Depth = 1;
    return copy;
}
inline CUDA_MEMCPY3D to_host(void* to, CUdeviceptr from, std::size_t bytes) {
    CUDA_MEMCPY3D copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to;
    copy.WidthInBytes = bytes;
    copy.Height = copy.Depth = 1;
    return copy;
}
inline added add_memcpy(CUgraph to, const CUDA_MEMCPY3D& copy, const nodes& after = {}) {
    added made;
    made.result = cuGraphAddMemcpyNode(&made.node, to, after.data(), after.size(), &copy, here().context[0]);
    return made;
}

inline added add_empty(CUgraph to, const nodes& after = {}) {
    added made;
    made.result = cuGraphAddEmptyNode(&made.node, to, after.data(), after.size());
    return made;
}

inline added add_fill(CUgraph to, CUfunction function, CUdeviceptr address, int value, int count, const nodes& after = {}) {
    void* arguments[] = {&address, &value, &count};
    CUDA_KERNEL_NODE_PARAMS params;
    std::memset(&params, 0, sizeof params);
    params.func = function;
    params.gridDimX = static_cast<unsigned>((count + 255) / 256);
    params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
    params.blockDimX = 256;
    params.kernelParams = arguments;
    added made;
    made.result = cuGraphAddKernelNode(&made.node, to, after.data(), after.size(), &params);
    return made;
}
inline added add_fill(CUgraph to, CUdeviceptr address, int value, int count, const nodes& after = {}) {
    return add_fill(to, here().fill, address, value, count, after);
}

inline CUgraphNodeParams node_params(CUgraphNodeType type) {
    CUgraphNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.type = type;
    return params;
}

/// Adds `child` to `parent` and hands its ownership over.
inline added move_child(CUgraph parent, CUgraph child, const nodes& after = {}) {
    CUgraphNodeParams params = node_params(CU_GRAPH_NODE_TYPE_GRAPH);
    params.graph.graph = child;
    params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    added made;
    made.result = cuGraphAddNode(&made.node, parent, after.data(), nullptr, after.size(), &params);
    return made;
}

struct conditional {
    CUresult result = ok;
    CUgraphConditionalHandle handle = 0;
    CUgraphNode node = nullptr;
    std::vector<CUgraph> bodies;
};

inline conditional add_conditional(CUgraph to, CUgraphConditionalNodeType type, unsigned bodies, unsigned value,
                                   const nodes& after = {}) {
    conditional made;
    made.result = cuGraphConditionalHandleCreate(&made.handle, to, here().context[0], value, CU_GRAPH_COND_ASSIGN_DEFAULT);
    if (made.result != ok)
        return made;
    CUgraphNodeParams params = node_params(CU_GRAPH_NODE_TYPE_CONDITIONAL);
    params.conditional.handle = made.handle;
    params.conditional.type = type;
    params.conditional.size = bodies;
    params.conditional.ctx = here().context[0];
    made.result = cuGraphAddNode(&made.node, to, after.data(), nullptr, after.size(), &params);
    if (made.result == ok)
        made.bodies.assign(params.conditional.phGraph_out, params.conditional.phGraph_out + bodies);
    return made;
}
inline conditional add_if(CUgraph to, const nodes& after = {}, unsigned value = 1) {
    return add_conditional(to, CU_GRAPH_COND_TYPE_IF, 1, value, after);
}

inline std::uint64_t memory(CUgraphMem_attribute attribute, int device = 0) {
    cuuint64_t value = 0;
    REQUIRE(cuDeviceGetGraphMemAttribute(device, attribute, &value) == ok);
    return value;
}
inline std::uint64_t used(int device = 0) { return memory(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, device); }
inline std::uint64_t used_high(int device = 0) { return memory(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, device); }

/// Gives unused graph memory back and resets the high-water marks.
inline void fresh_memory(int device = 0) {
    here();
    cuuint64_t zero = 0;
    REQUIRE(cuDeviceGraphMemTrim(device) == ok);
    REQUIRE(cuDeviceSetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero) == ok);
    REQUIRE(cuDeviceSetGraphMemAttribute(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &zero) == ok);
}

/// Copies device memory to the host and waits.
template <class T>
std::vector<T> read(CUdeviceptr from, std::size_t count) {
    std::vector<T> values(count);
    REQUIRE(cuMemcpyDtoHAsync(values.data(), from, count * sizeof(T), stream()) == ok);
    REQUIRE(cuStreamSynchronize(stream()) == ok);
    return values;
}

}  // namespace raw
