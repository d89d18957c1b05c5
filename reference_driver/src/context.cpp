// Contexts: the primary one of each device and those that cuCtxCreate makes.
#include <algorithm>

#include "driver.hpp"
#include "stream.hpp"

using namespace allograph_reference;

namespace {

void drop_context(context* gone) {
    driver_state& all = state();
    std::erase_if(all.default_streams, [gone](const auto& each) { return each.first.first == gone; });
    std::vector<stream*> streams;
    for (const auto& [key, each] : all.streams)
        if (each->ctx == gone)
            streams.push_back(key);
    for (stream* each : streams)
        forget_stream(each);
    std::erase_if(all.events, [gone](const auto& each) { return each.second->ctx == gone; });
}

void end_primary(device_state& device) {
    if (device.primary == nullptr)
        return;
    drop_context(device.primary.get());
    // Measured after a launch had run out of memory: the reset brought 1.1 GiB back, not the memory of graphs [M2].
    if (device.physical.lost())
        device.physical.give_back_after_reset(1179779072 - 32636928);
    std::vector<std::uint64_t> blocks;
    for (const auto& [address, block] : device.heap.blocks())
        blocks.push_back(address);
    for (const std::uint64_t address : blocks)
        device.heap.release(address);
    device.primary.reset();
    device.primary_references = 0;
}

CUresult create_context(CUcontext* made, unsigned flags, CUdevice device) {
    if (made == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_device(device) == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    auto fresh = std::make_unique<context>();
    fresh->device = device;
    fresh->flags = flags;
    fresh->id = state().next_id++;
    context* key = fresh.get();
    state().contexts.emplace(key, std::move(fresh));
    context_stack().push_back(key);
    *made = handle_of<CUcontext>(key);
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* handle, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDevicePrimaryCtxRetain, initialised);
    if (handle == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    device_state* found = find_device(device);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    if (found->primary == nullptr) {
        found->primary = std::make_unique<context>();
        found->primary->device = device;
        found->primary->primary = true;
        found->primary->flags = found->primary_flags;
        found->primary->id = state().next_id++;
    }
    ++found->primary_references;
    *handle = handle_of<CUcontext>(found->primary.get());
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDevicePrimaryCtxRelease_v2, initialised);
    device_state* found = find_device(device);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    if (found->primary_references == 0)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (--found->primary_references == 0)
        end_primary(*found);
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) { return cuDevicePrimaryCtxRelease_v2(device); }

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuDevicePrimaryCtxReset_v2, initialised);
    device_state* found = find_device(device);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    end_primary(*found);
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
    ALLOGRAPH_REFERENCE_ENTER(cuDevicePrimaryCtxGetState, initialised);
    const device_state* found = find_device(device);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    if (flags == nullptr || active == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = found->primary_flags;
    *active = found->primary != nullptr ? 1 : 0;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuDevicePrimaryCtxSetFlags_v2, initialised);
    device_state* found = find_device(device);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_DEVICE;
    found->primary_flags = flags;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) { return cuDevicePrimaryCtxSetFlags_v2(device, flags); }

CUresult cuCtxCreate_v2(CUcontext* made, unsigned flags, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxCreate_v2, initialised);
    return create_context(made, flags, device);
}
CUresult cuCtxCreate_v3(CUcontext* made, CUexecAffinityParam*, int affinities, unsigned flags, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxCreate_v3, initialised);
    return affinities != 0 ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : create_context(made, flags, device);
}
CUresult cuCtxCreate_v4(CUcontext* made, CUctxCreateParams* params, unsigned flags, CUdevice device) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxCreate_v4, initialised);
    if (params != nullptr && params->numExecAffinityParams != 0)
        return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return create_context(made, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxDestroy_v2, initialised);
    context* found = find_context(handle);
    if (found == nullptr || found->primary)
        return CUDA_ERROR_INVALID_CONTEXT;
    drop_context(found);
    if (!context_stack().empty() && context_stack().back() == found)
        context_stack().pop_back();
    state().contexts.erase(found);
    return CUDA_SUCCESS;
}
CUresult cuCtxDestroy(CUcontext handle) { return cuCtxDestroy_v2(handle); }

CUresult cuCtxSetCurrent(CUcontext handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxSetCurrent, initialised);
    std::vector<context*>& stack = context_stack();
    if (handle != nullptr && find_context(handle) == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    if (!stack.empty())
        stack.pop_back();
    if (handle != nullptr)
        stack.push_back(find_context(handle));
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxGetCurrent, initialised);
    if (handle == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *handle = handle_of<CUcontext>(current_context());
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxPushCurrent_v2, initialised);
    context* found = find_context(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    context_stack().push_back(found);
    return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext handle) { return cuCtxPushCurrent_v2(handle); }

CUresult cuCtxPopCurrent_v2(CUcontext* handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxPopCurrent_v2, initialised);
    std::vector<context*>& stack = context_stack();
    if (stack.empty())
        return CUDA_ERROR_INVALID_CONTEXT;
    if (handle != nullptr)
        *handle = handle_of<CUcontext>(stack.back());
    stack.pop_back();
    return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* handle) { return cuCtxPopCurrent_v2(handle); }

CUresult cuCtxGetDevice(CUdevice* device) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxGetDevice, context);
    if (device == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *device = current_context()->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxGetDevice_v2, initialised);
    if (device == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    const context* found = handle == nullptr ? current_context() : find_context(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    *device = found->device;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned* flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxGetFlags, context);
    if (flags == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = current_context()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxGetId, initialised);
    if (id == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    const context* found = handle == nullptr ? current_context() : find_context(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    *id = found->id;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxGetApiVersion, initialised);
    if (version == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (handle != nullptr && find_context(handle) == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    *version = 3020;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxGetStreamPriorityRange, context);
    if (least != nullptr)
        *least = 0;
    if (greatest != nullptr)
        *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxEnablePeerAccess, context);
    context* found = find_context(peer);
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (found == nullptr || found == current_context())
        return CUDA_ERROR_INVALID_CONTEXT;
    return current_context()->peers.insert(found).second ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxDisablePeerAccess, context);
    context* found = find_context(peer);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    return current_context()->peers.erase(found) != 0 ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

CUresult cuCtxSynchronize(void) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxSynchronize, context);
    return synchronise_context(*current_context());
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuCtxSynchronize_v2, initialised);
    context* found = handle == nullptr ? current_context() : find_context(handle);
    return found == nullptr ? CUDA_ERROR_INVALID_CONTEXT : synchronise_context(*found);
}

}  // extern "C"
