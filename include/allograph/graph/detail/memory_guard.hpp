#pragma once

#include <cstdlib>
#include <vector>

#include <allograph/detail/lazy.hpp>
#include <allograph/driver/exec_calls.hpp>
#include <allograph/driver/graph_calls.hpp>
#include <allograph/graph/detail/device_info.hpp>
#include <allograph/graph/detail/spin_lock.hpp>
#include <allograph/graph/memory_footprint.hpp>
#include <allograph/graph/out_of_memory.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Rises whenever memory that graphs had may be gone: a launch is only compared with what the device can give
/// when this has moved since its last.
inline atomic_word<std::uint32_t>& memory_epoch() noexcept {
    static atomic_word<std::uint32_t> epoch{1};
    return epoch;
}

/// Makes a context current for a few calls.
class context_scope {
public:
    context_scope(CUcontext context, source_line where) : before_(driver::ctx_get_current(where)) {
        if (context != before_) {
            driver::ctx_set_current(context, where);
            changed_ = true;
        }
    }
    context_scope(const context_scope&) = delete;
    context_scope& operator=(const context_scope&) = delete;
    ~context_scope() {
        if (changed_) {
            cuCtxSetCurrent(before_);
        }
    }

private:
    CUcontext before_;
    bool changed_ = false;
};

// Templates from here on, so that a file that includes them and launches nothing pays for their text alone.

/// The bytes in which a device maps graph memory: 32 MiB on those measured. Found once a device and process, by what
/// the smallest graph takes; taken as 32 MiB where the device is too full to try (rule M2).
template <class = void>
std::uint64_t chunk_bytes(device which, source_line where) {
    constexpr std::uint64_t usual = std::uint64_t{32} << 20;
    struct slot {
        atomic_word<std::uint64_t> bytes{0};
    };
    static slot slots[device_table::most];
    atomic_word<std::uint64_t>& known = slots[which.ordinal].bytes;
    if (known.load() != 0) {
        return known.load();
    }
    const CUdevice handle = info_of(which, where).handle;
    const context_scope scope(primary_context(which.ordinal, handle, where), where);
    if (driver::mem_get_info(where).free < 16 * usual) {
        return usual;
    }
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    CUstream stream = nullptr;
    std::uint64_t bytes = 0;
    CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
    parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.poolProps.location.id = which.ordinal;
    parameters.bytesize = 1;
    CUgraphNode alloc = nullptr;
    CUgraphNode end = nullptr;
    const std::uint64_t before = driver::device_get_graph_mem_attribute(handle, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, where);
    cuuint64_t after = 0;
    if (cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS && cuGraphCreate(&graph, 0) == CUDA_SUCCESS &&
        cuGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &parameters) == CUDA_SUCCESS &&
        cuGraphAddMemFreeNode(&end, graph, &alloc, 1, parameters.dptr) == CUDA_SUCCESS &&
        cuGraphInstantiateWithFlags(&exec, graph, 0) == CUDA_SUCCESS && cuGraphLaunch(exec, stream) == CUDA_SUCCESS &&
        cuStreamSynchronize(stream) == CUDA_SUCCESS &&
        cuDeviceGetGraphMemAttribute(handle, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &after) == CUDA_SUCCESS) {
        bytes = after - before;
    }
    if (exec != nullptr) {
        cuGraphExecDestroy(exec);
    }
    if (graph != nullptr) {
        cuGraphDestroy(graph);
    }
    if (stream != nullptr) {
        cuStreamDestroy_v2(stream);
    }
    if (before == 0) {  // nobody else's graph memory is there to lose: leave none of ours in the device's books
        cuDeviceGraphMemTrim(handle);
    }
    // Another thread's graphs may have changed the count meanwhile: only a plain power of two is believed.
    if (bytes < (std::uint64_t{1} << 16) || bytes > (std::uint64_t{1} << 30) || (bytes & (bytes - 1)) != 0) {
        return usual;
    }
    known.store(bytes);
    return bytes;
}

/// What a graph's allocations take: whole chunks that their addresses touch, each once.
/// @param left_out  allocations that do not count, in ascending order
template <class Recorder, class List>
memory_footprint footprint_of(const Recorder& model, source_line where, const List& left_out) {
    struct range {
        int ordinal;
        std::uint64_t first;  // chunks
        std::uint64_t end;
    };
    lazy<std::vector<range>, Recorder> ranges;
    auto skipped = left_out.begin();
    for (std::uint32_t a = 0; a < model.allocation_count(); ++a) {
        if (skipped != left_out.end() && *skipped == a) {
            ++skipped;
            continue;
        }
        const std::uint64_t chunk = chunk_bytes(device{model.device_of(a)}, where);
        ranges.push_back(
            {model.device_of(a), model.address_of(a) / chunk, (model.address_of(a) + model.bytes_of(a) - 1) / chunk + 1});
    }
    if (ranges.empty()) {
        return {};
    }
    // qsort: <algorithm> would cost every user more than this header.
    std::qsort(ranges.data(), ranges.size(), sizeof(range), [](const void* left, const void* right) {
        const range& a = *static_cast<const range*>(left);
        const range& b = *static_cast<const range*>(right);
        return a.ordinal != b.ordinal ? (a.ordinal < b.ordinal ? -1 : 1) : a.first < b.first ? -1 : a.first > b.first ? 1 : 0;
    });
    memory_footprint sum;
    int ordinal = -1;
    std::uint64_t counted = 0;  // chunks up to here are counted
    for (const range& each : ranges) {
        if (each.ordinal != ordinal) {
            ordinal = each.ordinal;
            counted = 0;
        }
        const std::uint64_t first = each.first > counted ? each.first : counted;
        if (each.end > first) {
            sum.add(device{ordinal}, (each.end - first) * chunk_bytes(device{ordinal}, where));
            counted = each.end;
        }
    }
    return sum;
}

/// What launches on each stream have mapped: graphs on one stream share it (rule M4), so the next one there may.
template <class Lazy = void>
class stream_memory {
public:
    static std::uint64_t on(CUstream stream, device which) noexcept {
        const spin_lock guard;
        for (const entry& each : entries()) {
            if (each.stream == stream && each.which == which) {
                return each.epoch == memory_epoch().load() ? each.bytes : 0;
            }
        }
        return 0;
    }
    static void mapped(CUstream stream, device which, std::uint64_t bytes) {
        const spin_lock guard;
        const std::uint32_t now = memory_epoch().load();
        for (entry& each : entries()) {
            if (each.stream == stream && each.which == which) {
                each.bytes = each.epoch == now && each.bytes > bytes ? each.bytes : bytes;
                each.epoch = now;
                return;
            }
        }
        entries().push_back({stream, which, bytes, now});
    }

private:
    struct entry {
        CUstream stream;
        device which;
        std::uint64_t bytes;
        std::uint32_t epoch;
    };
    static lazy<std::vector<entry>, Lazy>& entries() noexcept {
        static lazy<std::vector<entry>, Lazy> list;
        return list;
    }
};

/// @throws out_of_memory when a device cannot give what a graph takes: free memory, graph memory that is held but not
///         used, and what graphs on the same stream share with it
template <class = void>
void require_room(const memory_footprint& needed, CUstream stream, source_line where) {
    for (int ordinal = 0; ordinal < memory_footprint::most_devices; ++ordinal) {
        const device which{ordinal};
        if (needed.on(which) == 0) {
            continue;
        }
        const CUdevice handle = info_of(which, where).handle;
        const context_scope scope(primary_context(ordinal, handle, where), where);
        const std::uint64_t reserved =
            driver::device_get_graph_mem_attribute(handle, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, where);
        const std::uint64_t used = driver::device_get_graph_mem_attribute(handle, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, where);
        const std::uint64_t shared = stream_memory<>::on(stream, which);
        const std::uint64_t available = driver::mem_get_info(where).free + (reserved > used ? reserved - used : 0) + shared;
        if (needed.on(which) > available) {
            throw out_of_memory(which, needed.on(which), available, where);
        }
    }
    for (int ordinal = 0; ordinal < memory_footprint::most_devices; ++ordinal) {
        if (needed.on(device{ordinal}) != 0) {
            stream_memory<>::mapped(stream, device{ordinal}, needed.on(device{ordinal}));
        }
    }
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
