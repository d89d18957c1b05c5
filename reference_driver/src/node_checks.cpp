// What the driver checks about a node when it is added, and how parameters are kept.
#include <algorithm>
#include <cstring>

#include "graph.hpp"
#include "placement.hpp"

namespace allograph_reference {
namespace {

std::uint64_t span_of(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch, std::size_t slice_height) {
    if (width == 0 || height == 0 || depth == 0)
        return 0;
    if (pitch == 0)
        pitch = width;
    if (slice_height == 0)
        slice_height = height;
    return pitch * (slice_height * (depth - 1) + height - 1) + width;
}

bool reaches(const allocation& memory, const context* from) {
    return from == nullptr || from->device == memory.device ||
           std::find(memory.peers.begin(), memory.peers.end(), from->device) != memory.peers.end();
}

CUresult check_range(const touched_range& range, node* by, const context* from) {
    if (range.bytes == 0)
        return CUDA_SUCCESS;
    if (!is_device_address(range.address))
        return CUDA_SUCCESS;
    for (const auto& device : state().devices)
        if (device->heap.contains(range.address))
            return device_range_accessible(range.address, range.bytes, nullptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    // An allocation node's memory may be named before any launch, by the nodes of any graph, until its own graph frees it: a node
    // added after that is refused wherever it stands [O2]. That it comes after the allocation is not asked for [O1]. Parameters
    // that change are not looked at.
    const auto found = find_allocation(range.address, [&](const allocation& each) {
        if (!each.is_known() && !each.live)
            return false;
        if (range.bytes > each.address + each.bytes - range.address)
            return false;  // [O5]
        if (by != nullptr && each.freed_in_owner)
            return false;
        return reaches(each, from);  // [P1]
    });
    return found != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

bool is_array(CUmemorytype type) { return type == CU_MEMORYTYPE_ARRAY; }
bool is_known(CUmemorytype type) { return type >= CU_MEMORYTYPE_HOST && type <= CU_MEMORYTYPE_UNIFIED; }

}  // namespace

std::vector<touched_range> touched_by(const CUDA_MEMCPY3D& copy) {
    const auto place = [&](CUmemorytype type, const void* host, CUdeviceptr device, std::size_t x, std::size_t y, std::size_t z,
                           std::size_t pitch, std::size_t height, bool writes) {
        const std::uint64_t base = type == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uint64_t>(host) : device;
        return touched_range{base + x + pitch * (y + height * z),
                             span_of(copy.WidthInBytes, copy.Height, copy.Depth, pitch, height), writes};
    };
    return {place(copy.srcMemoryType, copy.srcHost, copy.srcDevice, copy.srcXInBytes, copy.srcY, copy.srcZ, copy.srcPitch,
                  copy.srcHeight, false),
            place(copy.dstMemoryType, copy.dstHost, copy.dstDevice, copy.dstXInBytes, copy.dstY, copy.dstZ, copy.dstPitch,
                  copy.dstHeight, true)};
}

touched_range touched_by(const CUDA_MEMSET_NODE_PARAMS_v1& set) {
    const std::uint64_t row = set.width * set.elementSize;
    return {set.dst, set.height > 1 ? set.pitch * (set.height - 1) + row : row, true};
}

CUresult check_addresses(const node_data& data, node* by) {
    if (const auto* set = std::get_if<memset_data>(&data)) {
        const touched_range range = touched_by(set->set);
        const bool host = state().host_blocks.contains(range.address);
        if (!is_device_address(range.address) && !host)
            return CUDA_ERROR_INVALID_VALUE;
        return check_range(range, by, find_context(set->ctx));
    }
    if (const auto* copy = std::get_if<memcpy_data>(&data)) {
        const CUmemorytype types[] = {copy->copy.srcMemoryType, copy->copy.dstMemoryType};
        const std::vector<touched_range> ranges = touched_by(copy->copy);
        for (std::size_t side = 0; side < ranges.size(); ++side) {
            if (types[side] == CU_MEMORYTYPE_DEVICE && !is_device_address(ranges[side].address) &&
                !state().host_blocks.contains(ranges[side].address))
                return CUDA_ERROR_INVALID_VALUE;
            if (types[side] == CU_MEMORYTYPE_HOST)
                continue;
            if (const CUresult result = check_range(ranges[side], by, find_context(copy->ctx)); result != CUDA_SUCCESS)
                return result;
        }
    }
    return CUDA_SUCCESS;
}

CUresult make_memcpy(const CUDA_MEMCPY3D& copy, CUcontext ctx, node_data& result) {
    if (!is_known(copy.srcMemoryType) || !is_known(copy.dstMemoryType))
        return CUDA_ERROR_INVALID_VALUE;
    if (is_array(copy.srcMemoryType) || is_array(copy.dstMemoryType))
        return CUDA_ERROR_NOT_SUPPORTED;  // not modelled
    if (copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_context(ctx) == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    result = memcpy_data{copy, ctx};
    return CUDA_SUCCESS;
}

namespace {

CUresult make_memset(const CUDA_MEMSET_NODE_PARAMS_v1& set, CUcontext ctx, node_data& result) {
    if (set.elementSize != 1 && set.elementSize != 2 && set.elementSize != 4)
        return CUDA_ERROR_INVALID_VALUE;
    if (set.width == 0 || set.height == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (set.dst % set.elementSize != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (find_context(ctx) == nullptr)
        return CUDA_ERROR_INVALID_CONTEXT;
    result = memset_data{set, ctx};
    return CUDA_SUCCESS;
}

CUresult make_allocation(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params, node_data& result) {
    if (!state().pools)
        return CUDA_ERROR_NOT_SUPPORTED;  // [A11]
    const CUmemPoolProps& pool = params.poolProps;
    if (params.bytesize == 0)
        return CUDA_ERROR_INVALID_VALUE;  // [A2]
    if (pool.allocType != CU_MEM_ALLOCATION_TYPE_PINNED && pool.allocType != CU_MEM_ALLOCATION_TYPE_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;  // [A4]
    switch (pool.location.type) {         // [A5]
    case CU_MEM_LOCATION_TYPE_DEVICE:
        break;
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (find_device(pool.location.id) == nullptr)
        return CUDA_ERROR_INVALID_VALUE;  // [A6]
    if (pool.handleTypes != CU_MEM_HANDLE_TYPE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;  // [A7]
    for (const unsigned char byte : pool.reserved)
        if (byte != 0)
            return CUDA_ERROR_INVALID_VALUE;  // [A8]
    alloc_data made;
    if (params.accessDescCount > state().devices.size())
        return CUDA_ERROR_INVALID_VALUE;  // [A9]
    for (std::size_t index = 0; index < params.accessDescCount; ++index) {
        const CUmemAccessDesc& each = params.accessDescs[index];  // a null list crashes here as it does in the real driver [A9]
        if (each.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            return CUDA_ERROR_INVALID_VALUE;
        if (find_device(each.location.id) == nullptr)
            return CUDA_ERROR_INVALID_DEVICE;
        if (each.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            return CUDA_ERROR_NOT_SUPPORTED;
        made.descriptors.push_back(each);
    }
    if (params.bytesize > state().total_memory)
        return CUDA_ERROR_OUT_OF_MEMORY;  // [A3]
    made.properties = pool;
    made.memory = std::make_shared<allocation>();  // the wish; add_node puts the placed allocation in its stead
    made.memory->bytes = params.bytesize;
    made.memory->device = pool.location.id;
    result = std::move(made);
    return CUDA_SUCCESS;
}

CUresult make_child(const graph& where, const CUDA_CHILD_GRAPH_NODE_PARAMS& params, node_data& result) {
    graph* child = find_graph(params.graph);
    if (child == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (holds_conditional(*child))
        return CUDA_ERROR_NOT_SUPPORTED;  // [C17]
    if (ownership_of(params) == child_ownership::copied) {
        if (child->holds_memory())
            return CUDA_ERROR_NOT_SUPPORTED;  // [G4]
        auto copy = copy_graph(*child);
        copy->copied_child = true;
        result = child_data{std::move(copy), {}};
        return CUDA_SUCCESS;
    }
    if (ownership_of(params) != child_ownership::moved)
        return CUDA_ERROR_INVALID_VALUE;
    if (child->moved || child->executables != 0)
        return CUDA_ERROR_NOT_SUPPORTED;  // [C3] [C5]
    if (where.moved && child->holds_memory())
        return CUDA_ERROR_NOT_SUPPORTED;  // as for the memory nodes themselves [C1]
    const auto owned = state().user_graphs.find(child);
    if (owned == state().user_graphs.end())
        return CUDA_ERROR_NOT_SUPPORTED;
    // Moving a graph into itself or its descendant is accepted in silence [C6]: it then owns itself and is never destroyed.
    result = child_data{owned->second, {}};
    return CUDA_SUCCESS;
}

CUresult make_conditional(graph& where, const CUDA_CONDITIONAL_NODE_PARAMS& params, node_data& result) {
    const auto known = state().conditionals.find(params.handle);
    const std::shared_ptr<conditional_handle> handle = known == state().conditionals.end() ? nullptr : known->second.lock();
    if (handle == nullptr || handle->owner != &where || handle->used)
        return CUDA_ERROR_INVALID_VALUE;
    const bool sized = (params.type == CU_GRAPH_COND_TYPE_IF && (params.size == 1 || params.size == 2)) ||
                       (params.type == CU_GRAPH_COND_TYPE_WHILE && params.size == 1) ||
                       (params.type == CU_GRAPH_COND_TYPE_SWITCH && params.size > 0);
    if (!sized)
        return CUDA_ERROR_INVALID_VALUE;
    handle->used = true;
    conditional_data made;
    made.handle = params.handle;
    made.type = params.type;
    made.ctx = params.ctx;
    for (unsigned index = 0; index < params.size; ++index) {
        auto body = make_graph();
        body->body = true;
        made.handles.push_back(handle_of<CUgraph>(body.get()));
        made.bodies.push_back(std::move(body));
    }
    result = std::move(made);
    return CUDA_SUCCESS;
}

}  // namespace

CUresult make_kernel(const CUDA_KERNEL_NODE_PARAMS_v2& params, kernel_data& result) {
    function* code =
        params.func != nullptr ? find_function(params.func) : find_function(reinterpret_cast<CUfunction>(params.kern));
    if (params.func == nullptr && params.kern == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (code == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    result.code = code;
    result.by_kernel_handle = params.func == nullptr;
    result.ctx = params.ctx;
    const unsigned extents[] = {params.gridDimX,  params.gridDimY,  params.gridDimZ,
                                params.blockDimX, params.blockDimY, params.blockDimZ};
    if (std::find(std::begin(extents), std::end(extents), 0U) != std::end(extents))
        return CUDA_ERROR_INVALID_VALUE;
    if (std::uint64_t{params.blockDimX} * params.blockDimY * params.blockDimZ > 1024)
        return CUDA_ERROR_INVALID_VALUE;
    std::copy_n(extents, 3, result.grid);
    std::copy_n(extents + 3, 3, result.block);
    result.shared_bytes = params.sharedMemBytes;

    const kernel_code& kernel = *code->code;
    const std::size_t bytes = kernel.sizes.empty() ? 0 : kernel.offsets.back() + kernel.sizes.back();
    result.values.assign(bytes, std::byte{0});
    if (params.extra != nullptr) {
        if (params.kernelParams != nullptr)
            return CUDA_ERROR_INVALID_VALUE;
        const void* buffer = nullptr;
        std::size_t size = 0;
        for (void** each = params.extra; *each != CU_LAUNCH_PARAM_END; each += 2) {
            if (*each == CU_LAUNCH_PARAM_BUFFER_POINTER)
                buffer = each[1];
            else if (*each == CU_LAUNCH_PARAM_BUFFER_SIZE)
                std::memcpy(&size, each[1], sizeof size);
            else
                return CUDA_ERROR_INVALID_VALUE;
        }
        if (buffer == nullptr || size < bytes)
            return CUDA_ERROR_INVALID_VALUE;
        std::memcpy(result.values.data(), buffer, bytes);
        return CUDA_SUCCESS;
    }
    if (bytes == 0)
        return CUDA_SUCCESS;
    if (params.kernelParams == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    // Where a node's own parameters are handed back to it, source and target are different arrays: `values` was just made.
    for (std::size_t index = 0; index < kernel.sizes.size(); ++index)
        std::memcpy(result.values.data() + kernel.offsets[index], params.kernelParams[index], kernel.sizes[index]);
    return CUDA_SUCCESS;
}

CUresult make_payload(graph& where, const CUgraphNodeParams& params, node_data& result) {
    const auto padding_is_zero = [&] {
        return params.reserved2 == 0 &&
               std::all_of(std::begin(params.reserved0), std::end(params.reserved0), [](int each) { return each == 0; });
    };
    if (!padding_is_zero())
        return CUDA_ERROR_INVALID_VALUE;
    switch (params.type) {
    case CU_GRAPH_NODE_TYPE_EMPTY:
        result = empty_data{};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_KERNEL: {
        static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS_v2) == sizeof(CUDA_KERNEL_NODE_PARAMS_v3));
        CUDA_KERNEL_NODE_PARAMS_v2 kernel;
        std::memcpy(&kernel, &params.kernel, sizeof kernel);
        kernel_data made;
        const CUresult checked = make_kernel(kernel, made);
        result = std::move(made);
        return checked;
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
        if (params.memcpy.flags != 0)
            return CUDA_ERROR_INVALID_VALUE;
        return make_memcpy(params.memcpy.copyParams, params.memcpy.copyCtx, result);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
        const CUDA_MEMSET_NODE_PARAMS_v2& set = params.memset;
        return make_memset({set.dst, set.pitch, set.value, set.elementSize, set.width, set.height}, set.ctx, result);
    }
    case CU_GRAPH_NODE_TYPE_HOST:
        if (params.host.fn == nullptr)
            return CUDA_ERROR_INVALID_VALUE;
        result = host_data{params.host.fn, params.host.userData};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
        return make_child(where, params.graph, result);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
        if (find_event(params.eventWait.event) == nullptr)
            return CUDA_ERROR_INVALID_VALUE;
        result = event_wait_data{params.eventWait.event};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
        if (find_event(params.eventRecord.event) == nullptr)
            return CUDA_ERROR_INVALID_VALUE;
        result = event_record_data{params.eventRecord.event};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL: {
        const auto& signal = params.extSemSignal;
        if (signal.extSemArray == nullptr || signal.paramsArray == nullptr || signal.numExtSems == 0)
            return CUDA_ERROR_INVALID_VALUE;
        result = semaphore_signal_data{{signal.extSemArray, signal.extSemArray + signal.numExtSems},
                                       {signal.paramsArray, signal.paramsArray + signal.numExtSems}};
        return CUDA_SUCCESS;
    }
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: {
        const auto& wait = params.extSemWait;
        if (wait.extSemArray == nullptr || wait.paramsArray == nullptr || wait.numExtSems == 0)
            return CUDA_ERROR_INVALID_VALUE;
        result = semaphore_wait_data{{wait.extSemArray, wait.extSemArray + wait.numExtSems},
                                     {wait.paramsArray, wait.paramsArray + wait.numExtSems}};
        return CUDA_SUCCESS;
    }
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
        return make_allocation(params.alloc, result);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
        result = free_data{params.free.dptr, {}};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
        if (params.memOp.paramArray == nullptr || params.memOp.count == 0 || params.memOp.count > 256)
            return CUDA_ERROR_INVALID_VALUE;
        result = batch_data{
            params.memOp.ctx, params.memOp.flags, {params.memOp.paramArray, params.memOp.paramArray + params.memOp.count}};
        return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
        return make_conditional(where, params.conditional, result);
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

}  // namespace allograph_reference
