// Memory outside of graphs, and questions about addresses.
#include <cstdlib>
#include <cstring>

#include "capture.hpp"
#include "graph.hpp"
#include "placement.hpp"
#include "stream.hpp"

using namespace allograph_reference;

namespace {

constexpr std::uint64_t granule = std::uint64_t{2} << 20;  // what cuMemAlloc takes of a device at once

CUresult allocate(CUdeviceptr* address, std::size_t bytes, int ordinal, bool asynchronous, bool managed) {
    if (address == nullptr || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    device_state& device = *find_device(ordinal);
    if (device.physical.lost())
        return CUDA_ERROR_OUT_OF_MEMORY;  // [M2]
    if (bytes > state().total_memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    const std::uint64_t charged = (bytes + granule - 1) / granule * granule;
    if (charged > device.physical.free_bytes(device.heap.charged())) {
        device.physical.trim();  // what graphs hold and do not use is given up first
        if (charged > device.physical.free_bytes(device.heap.charged()))
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const std::uint64_t made = device.heap.allocate({bytes, charged, state().next_id++, asynchronous, managed});
    if (made == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *address = made;
    return CUDA_SUCCESS;
}

// Frees what cuMemAlloc, a stream or a launched graph made.
CUresult release(CUdeviceptr address) {
    for (const auto& device : state().devices) {
        if (!device->heap.contains(address))
            continue;
        if (!device->heap.blocks().contains(address))
            return CUDA_ERROR_INVALID_VALUE;
        device->heap.release(address);
        return CUDA_SUCCESS;
    }
    const auto found = find_live(address);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_VALUE;  // [F6] [F7] [F8] [C15]
    release_allocation(found);
    return CUDA_SUCCESS;
}

// What is known of an address: a block of the heap, a launched allocation of a graph, or page-locked host memory.
struct place {
    std::uint64_t base = 0;
    std::uint64_t bytes = 0;
    std::uint64_t id = 0;
    int device = 0;
    bool host = false;
    bool managed = false;
};

bool look_up(CUdeviceptr address, place& found) {
    for (const auto& device : state().devices) {
        if (!device->heap.contains(address))
            continue;
        const auto block = device->heap.find(address);
        if (block == device->heap.blocks().end())
            return false;
        found = {block->first, block->second.bytes, block->second.id, device->ordinal, false, block->second.managed};
        return true;
    }
    // Before a launch, an address of a graph is nothing [A13].
    if (const auto memory = find_allocation(address, [](const allocation& each) { return each.live; })) {
        found = {memory->address, memory->bytes, memory->node_id, memory->device, false, false};
        return true;
    }
    auto block = state().host_blocks.upper_bound(address);
    if (block == state().host_blocks.begin())
        return false;
    --block;
    if (address >= block->first + block->second.bytes)
        return false;
    const context* here = current_context();
    found = {block->first, block->second.bytes, block->first, here != nullptr ? here->device : 0, true, false};
    return true;
}

template <class T>
CUresult answer(void* to, T value) {
    std::memcpy(to, &value, sizeof value);
    return CUDA_SUCCESS;
}

CUresult attribute_of(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
    place found;
    if (data == nullptr || !look_up(address, found))
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return answer(data, handle_of<CUcontext>(find_device(found.device)->primary.get()));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return answer(data, found.host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return answer(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return found.host || found.managed ? answer(data, reinterpret_cast<void*>(address)) : CUDA_ERROR_INVALID_VALUE;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
        return answer(data, static_cast<unsigned long long>(found.id));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return answer(data, static_cast<unsigned>(found.managed));
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return answer(data, found.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return answer(data, static_cast<CUdeviceptr>(found.base));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return answer(data, static_cast<std::size_t>(found.bytes));
    case CU_POINTER_ATTRIBUTE_MAPPED:
        return answer(data, 1);
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

CUresult allocate_host(void** address, std::size_t bytes, unsigned flags) {
    constexpr unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
    if (address == nullptr || bytes == 0 || (flags & ~known) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    constexpr std::size_t page = 4096;
    void* made = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (made == nullptr)
        return CUDA_ERROR_OUT_OF_MEMORY;
    state().host_blocks.emplace(reinterpret_cast<std::uint64_t>(made), host_block{bytes, flags, false});
    *address = made;
    return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemGetInfo_v2, context);
    if (free == nullptr || total == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    const device_state& device = *find_device(current_context()->device);
    *free = device.physical.free_bytes(device.heap.charged());
    *total = state().total_memory;
    return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemAlloc_v2, context);
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;  // [C13]
    return allocate(address, bytes, current_context()->device, false, false);
}

CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemAllocManaged, context);
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return allocate(address, bytes, current_context()->device, false, true);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height, unsigned element) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemAllocPitch_v2, context);
    if (pitch == nullptr || width == 0 || height == 0 || (element != 4 && element != 8 && element != 16))
        return CUDA_ERROR_INVALID_VALUE;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    *pitch = (width + 511) / 512 * 512;
    return allocate(address, *pitch * height, current_context()->device, false, false);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemFree_v2, context);
    if (address == 0)
        return CUDA_SUCCESS;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return release(address);
}

CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemAllocAsync, context);
    stream* on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (address == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (on->capturing == nullptr) {
        if (!state().pools)
            return CUDA_ERROR_NOT_SUPPORTED;
        if (const CUresult result = ready(*on); result != CUDA_SUCCESS)
            return result;
        return allocate(address, bytes, on->ctx->device, true, false);
    }
    if (on->capturing->invalidated)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    // Under capture it is an allocation node [C12].
    CUgraphNodeParams params;
    std::memset(&params, 0, sizeof params);
    params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.alloc.poolProps.location.id = on->ctx->device;
    params.alloc.bytesize = bytes;
    node_data data;
    node* made = nullptr;
    if (const CUresult result = make_payload(*on->capturing->target, params, data); result != CUDA_SUCCESS)
        return result;
    if (const CUresult result = capture_node(*on, std::move(data), &made); result != CUDA_SUCCESS)
        return result;
    *address = std::get<alloc_data>(made->data).memory->address;
    return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemFreeAsync, context);
    stream* on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (on->capturing != nullptr)
        return capture_node(*on, free_data{address, {}});
    if (address == 0)
        return CUDA_SUCCESS;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (const CUresult result = ready(*on); result != CUDA_SUCCESS)
        return result;
    return release(address);
}

CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemHostAlloc, context);
    return allocate_host(address, bytes, flags);
}
CUresult cuMemAllocHost_v2(void** address, std::size_t bytes) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemAllocHost_v2, context);
    return allocate_host(address, bytes, 0);
}

CUresult cuMemFreeHost(void* address) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemFreeHost, context);
    const auto found = state().host_blocks.find(reinterpret_cast<std::uint64_t>(address));
    if (found == state().host_blocks.end() || found->second.registered)
        return CUDA_ERROR_INVALID_VALUE;
    state().host_blocks.erase(found);
    std::free(address);
    return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemHostRegister_v2, context);
    if (address == nullptr || bytes == 0)
        return CUDA_ERROR_INVALID_VALUE;
    const bool fresh =
        state().host_blocks.emplace(reinterpret_cast<std::uint64_t>(address), host_block{bytes, flags, true}).second;
    return fresh ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

CUresult cuMemHostUnregister(void* address) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemHostUnregister, context);
    const auto found = state().host_blocks.find(reinterpret_cast<std::uint64_t>(address));
    if (found == state().host_blocks.end() || !found->second.registered)
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    state().host_blocks.erase(found);
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* host, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemHostGetDevicePointer_v2, context);
    place found;
    if (address == nullptr || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (!look_up(reinterpret_cast<CUdeviceptr>(host), found) || !found.host)
        return CUDA_ERROR_INVALID_VALUE;
    *address = reinterpret_cast<CUdeviceptr>(host);
    return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned* flags, void* host) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemHostGetFlags, context);
    const auto found = state().host_blocks.find(reinterpret_cast<std::uint64_t>(host));
    if (flags == nullptr || found == state().host_blocks.end())
        return CUDA_ERROR_INVALID_VALUE;
    *flags = found->second.flags;
    return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
    ALLOGRAPH_REFERENCE_ENTER(cuMemGetAddressRange_v2, context);
    place found;
    if (!look_up(address, found) || found.host)
        return CUDA_ERROR_NOT_FOUND;  // [A13]
    if (base != nullptr)
        *base = found.base;
    if (bytes != nullptr)
        *bytes = found.bytes;
    return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
    ALLOGRAPH_REFERENCE_ENTER(cuPointerGetAttribute, initialised);
    return attribute_of(data, attribute, address);
}

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
    ALLOGRAPH_REFERENCE_ENTER(cuPointerGetAttributes, initialised);
    if (attributes == nullptr || data == nullptr || count == 0)
        return CUDA_ERROR_INVALID_VALUE;
    place found;
    // Unlike the single question, an unknown address is no error here: the answers are zero.
    for (unsigned index = 0; index < count; ++index) {
        if (look_up(address, found)) {
            attribute_of(data[index], attributes[index], address);
            continue;
        }
        const bool wide =
            attributes[index] == CU_POINTER_ATTRIBUTE_CONTEXT || attributes[index] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
            attributes[index] == CU_POINTER_ATTRIBUTE_HOST_POINTER || attributes[index] == CU_POINTER_ATTRIBUTE_BUFFER_ID ||
            attributes[index] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR || attributes[index] == CU_POINTER_ATTRIBUTE_RANGE_SIZE;
        const int narrow = attributes[index] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? -2 : 0;
        if (wide)
            answer(data[index], std::uint64_t{0});
        else
            answer(data[index], narrow);
    }
    return CUDA_SUCCESS;
}

}  // extern "C"
