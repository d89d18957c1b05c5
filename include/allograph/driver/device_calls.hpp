#pragma once

#include <allograph/driver/driver_error.hpp>

namespace allograph {
inline namespace v0 {
namespace driver {

/// Starts the driver; once more does nothing. @throws driver_error. Driver: cuInit
inline void init(source_line where) { check(cuInit(0), "cuInit", where); }

/// How many devices the process sees. @throws driver_error. Driver: cuDeviceGetCount
inline int device_get_count(source_line where) {
    int count = 0;
    check(cuDeviceGetCount(&count), "cuDeviceGetCount", where);
    return count;
}

/// The handle of a device. @throws driver_error for an ordinal that does not exist. Driver: cuDeviceGet
inline CUdevice device_get(int ordinal, source_line where) {
    CUdevice device = 0;
    check(cuDeviceGet(&device, ordinal), "cuDeviceGet", where, {{"ordinal", static_cast<std::uint64_t>(ordinal)}});
    return device;
}

/// An attribute of a device. @throws driver_error. Driver: cuDeviceGetAttribute
inline int device_get_attribute(CUdevice_attribute attribute, CUdevice device, source_line where) {
    int value = 0;
    check(cuDeviceGetAttribute(&value, attribute, device), "cuDeviceGetAttribute", where,
          {{"attribute", static_cast<std::uint64_t>(attribute)}});
    return value;
}

/// What a device has, in bytes. @throws driver_error. Driver: cuDeviceTotalMem_v2
inline std::size_t device_total_mem(CUdevice device, source_line where) {
    std::size_t bytes = 0;
    check(cuDeviceTotalMem_v2(&bytes, device), "cuDeviceTotalMem_v2", where);
    return bytes;
}

/// The primary context of a device, retained: each call asks for one release. @throws driver_error
/// Driver: cuDevicePrimaryCtxRetain
inline CUcontext device_primary_ctx_retain(CUdevice device, source_line where) {
    CUcontext context = nullptr;
    check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain", where,
          {{"device", static_cast<std::uint64_t>(device)}});
    return context;
}

/// The context of the calling thread; null without one. @throws driver_error. Driver: cuCtxGetCurrent
inline CUcontext ctx_get_current(source_line where) {
    CUcontext context = nullptr;
    check(cuCtxGetCurrent(&context), "cuCtxGetCurrent", where);
    return context;
}

/// Makes a context that of the calling thread. @throws driver_error. Driver: cuCtxSetCurrent
inline void ctx_set_current(CUcontext context, source_line where) { check(cuCtxSetCurrent(context), "cuCtxSetCurrent", where); }

/// The device of the current context. @throws driver_error without a context. Driver: cuCtxGetDevice
inline CUdevice ctx_get_device(source_line where) {
    CUdevice device = 0;
    check(cuCtxGetDevice(&device), "cuCtxGetDevice", where);
    return device;
}

/// Of the current context's device, in bytes.
struct memory_info {
    std::size_t free;   ///< what allocations may still take
    std::size_t total;  ///< what the device has
};
/// Free and total memory of the current context's device. @throws driver_error. Driver: cuMemGetInfo_v2
inline memory_info mem_get_info(source_line where) {
    memory_info info{};
    check(cuMemGetInfo_v2(&info.free, &info.total), "cuMemGetInfo_v2", where);
    return info;
}

/// Graph memory of a device, in bytes. @throws driver_error. Driver: cuDeviceGetGraphMemAttribute
inline std::uint64_t device_get_graph_mem_attribute(CUdevice device, CUgraphMem_attribute attribute, source_line where) {
    cuuint64_t value = 0;
    check(cuDeviceGetGraphMemAttribute(device, attribute, &value), "cuDeviceGetGraphMemAttribute", where,
          {{"attribute", static_cast<std::uint64_t>(attribute)}});
    return value;
}

/// The one value that the driver takes is 0, and for the HIGH attributes alone (rule M5). @throws driver_error
/// Driver: cuDeviceSetGraphMemAttribute
inline void device_reset_graph_mem_attribute(CUdevice device, CUgraphMem_attribute attribute, source_line where) {
    cuuint64_t value = 0;
    check(cuDeviceSetGraphMemAttribute(device, attribute, &value), "cuDeviceSetGraphMemAttribute", where,
          {{"attribute", static_cast<std::uint64_t>(attribute)}});
}

/// Gives memory that no graph uses back to the device (rule M5). @throws driver_error. Driver: cuDeviceGraphMemTrim
inline void device_graph_mem_trim(CUdevice device, source_line where) {
    check(cuDeviceGraphMemTrim(device), "cuDeviceGraphMemTrim", where, {{"device", static_cast<std::uint64_t>(device)}});
}

}  // namespace driver
}  // namespace v0
}  // namespace allograph
