// Devices: one or more of the H200 that the answers were measured on.
#include <algorithm>
#include <cstring>

#include "driver.hpp"

using namespace allograph_reference;

namespace {

constexpr const char* device_name = "NVIDIA H200";

// What programs ask for before they build graphs. Everything else is 0, which for most attributes means "not supported".
int attribute_value(CUdevice_attribute attribute) {
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        return 9;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        return 0;
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
        return state().pools ? 1 : 0;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        return 132;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
        return 1024;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
        return 64;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
        return 2147483647;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
        return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
        return 65535;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        return 49152;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        return 232448;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
        return 233472;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
        return 65536;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
        return 32;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
        return 2147483647;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
        return 65536;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
        return 2048;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
        return 32;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        return 1980000;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        return 3201000;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
        return 6144;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
        return 62914560;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
        return 512;
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
        return 1;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
        return 3;
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        return 1;
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
        return 1;
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
        return 1;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
        return 1;
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
        return 1;
    case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
        return 1;
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
        return 1;
    case CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES:
        return 1;
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
        return 1;
    default:
        return 0;
    }
}

}  // namespace

extern "C" {

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceGet, initialised);
    if (device == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(ordinal) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceGetCount, initialised);
    if (count == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<int>(state().devices.size());
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceGetName, initialised);
    if (name == nullptr || length <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    std::snprintf(name, static_cast<std::size_t>(length), "%s", device_name);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceGetUuid_v2, initialised);
    if (uuid == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    std::memcpy(uuid->bytes, "allograph-refer\0", sizeof uuid->bytes);
    uuid->bytes[15] = static_cast<char>(device);
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceGetPCIBusId, initialised);
    if (text == nullptr || length <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", device + 1);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceGetAttribute, initialised);
    if (value == nullptr || attribute <= 0 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    *value = attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID ? device + 1 : attribute_value(attribute);
    return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceComputeCapability, initialised);
    if (major == nullptr || minor == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    *major = 9;
    *minor = 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceTotalMem_v2, initialised);
    if (bytes == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    *bytes = state().total_memory;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* possible, CUdevice device, CUdevice peer) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceCanAccessPeer, initialised);
    if (possible == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr || find_device(peer) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    *possible = device != peer ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceGetGraphMemAttribute, initialised);
    const device_state* found = find_device(device);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    if (value == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    cuuint64_t answer = 0;
    switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
        answer = found->physical.used();
        break;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        answer = found->physical.used_high();
        break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        answer = found->physical.reserved();
        break;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        answer = found->physical.reserved_high();
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    std::memcpy(value, &answer, sizeof answer);
    return CUDA_SUCCESS;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void* value) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceSetGraphMemAttribute, initialised);
    device_state* found = find_device(device);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    if (value == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    cuuint64_t wanted = 0;
    std::memcpy(&wanted, value, sizeof wanted);
    // Only the high-water marks, and only back to what is in use [M5].
    if (wanted != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
        found->physical.reset_used_high();
    else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
        found->physical.reset_reserved_high();
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDeviceGraphMemTrim, initialised);
    device_state* found = find_device(device);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    found->physical.trim();
    return CUDA_SUCCESS;
}

}  // extern "C"
