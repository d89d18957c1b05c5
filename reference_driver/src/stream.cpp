#include "stream.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "capture.hpp"

namespace allograph_reference {
namespace {

double now() { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

CUresult create_stream(CUstream* handle, unsigned flags, int priority) {
    if (handle == nullptr || (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<stream>();
    made->ctx = current_context();
    made->flags = flags;
    made->priority = std::clamp(priority, -5, 0);
    made->id = state().next_id++;
    stream* key = made.get();
    state().streams.emplace(key, std::move(made));
    *handle = handle_of<CUstream>(key);
    return CUDA_SUCCESS;
}

CUresult record(CUevent handle, CUstream on, unsigned flags) {
    event* found = find_event(handle);
    stream* where = find_stream(on);
    if (found == nullptr || where == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags > CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (where->capturing != nullptr)
        return capture_event_record(*found, *where, flags == CU_EVENT_RECORD_EXTERNAL);
    if (flags == CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (const CUresult result = ready(*where); result != CUDA_SUCCESS)
        return result;
    record_event(*found, *where);
    return CUDA_SUCCESS;
}

}  // namespace

void forget_stream(stream* gone) {
    abandon_capture(*gone);
    for (const auto& device : state().devices)
        device->physical.forget_stream(gone);
    for (const auto& [key, each] : state().events)
        if (each->on == gone)
            each->on = nullptr;
    state().streams.erase(gone);
}

CUresult ready(const stream& on) { return on.ctx->sticky; }

void issue(stream& on) { ++on.issued; }

CUresult synchronise_context(context& which) {
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    for (const auto& [key, each] : state().streams)
        if (each->ctx == &which)
            each->completed = each->issued;
    for (const auto& [key, each] : state().default_streams)
        if (each->ctx == &which)
            each->completed = each->issued;
    return which.sticky;
}

void record_event(event& which, stream& on) {
    which.recorded = true;
    which.milliseconds = now();
    which.on = &on;
    which.position = on.issued;
    which.captured.reset();
    which.captured_nodes.clear();
}

void wait_event(const event& which, stream& on) {
    // Work behind the wait is ordered after the recorded work: that work may be taken for done.
    if (which.recorded && which.on != nullptr && which.on != &on)
        which.on->completed = std::max(which.on->completed, which.position);
}

}  // namespace allograph_reference

using namespace allograph_reference;

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream* handle, unsigned flags, int priority) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamCreateWithPriority, context);
    return create_stream(handle, flags, priority);
}

CUresult cuStreamCreate(CUstream* handle, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamCreate, context);
    return create_stream(handle, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamDestroy_v2, initialised);
    stream* found = find_stream(handle);
    if (found == nullptr || !state().streams.contains(found))
        return CUDA_ERROR_INVALID_HANDLE;
    forget_stream(found);
    return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream handle) { return cuStreamDestroy_v2(handle); }

CUresult cuStreamSynchronize(CUstream handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamSynchronize, context);
    stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (invalidate_capture_of(*found) || invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    found->completed = found->issued;
    return ready(*found);
}

CUresult cuStreamQuery(CUstream handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamQuery, context);
    stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (invalidate_capture_of(*found) || invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    found->completed = found->issued;
    return ready(*found);
}

CUresult cuStreamGetFlags(CUstream handle, unsigned* flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamGetFlags, context);
    const stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = found->flags;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamGetPriority, context);
    const stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (priority == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *priority = found->priority;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamGetId, context);
    const stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (id == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *id = found->id;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* ctx) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamGetCtx, context);
    const stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (ctx == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *ctx = handle_of<CUcontext>(found->ctx);
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext* ctx, CUgreenCtx* green) {
    if (green != nullptr)
        *green = nullptr;
    return cuStreamGetCtx(handle, ctx);
}

CUresult cuStreamGetDevice(CUstream handle, CUdevice* device) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamGetDevice, context);
    const stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (device == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *device = found->ctx->device;
    return CUDA_SUCCESS;
}

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID attribute, const CUstreamAttrValue* value) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamSetAttribute, context);
    stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (value == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    found->attributes[static_cast<int>(attribute)] = *value;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID attribute, CUstreamAttrValue* value) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamGetAttribute, context);
    stream* found = find_stream(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (value == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    const auto set = found->attributes.find(static_cast<int>(attribute));
    if (set != found->attributes.end())
        *value = set->second;
    else
        std::memset(value, 0, sizeof *value);
    return CUDA_SUCCESS;
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamCopyAttributes, context);
    stream* target = find_stream(to);
    const stream* source = find_stream(from);
    if (target == nullptr || source == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    target->attributes = source->attributes;
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* handle, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuEventCreate, context);
    constexpr unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
    if (handle == nullptr || (flags & ~known) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<event>();
    made->ctx = current_context();
    made->flags = flags;
    event* key = made.get();
    state().events.emplace(key, std::move(made));
    *handle = handle_of<CUevent>(key);
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuEventDestroy_v2, initialised);
    event* found = find_event(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    state().events.erase(found);
    return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent handle) { return cuEventDestroy_v2(handle); }

CUresult cuEventRecordWithFlags(CUevent handle, CUstream on, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuEventRecordWithFlags, context);
    return record(handle, on, flags);
}

CUresult cuEventRecord(CUevent handle, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuEventRecord, context);
    return record(handle, on, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuStreamWaitEvent(CUstream on, CUevent handle, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamWaitEvent, context);
    event* found = find_event(handle);
    stream* where = find_stream(on);
    if (found == nullptr || where == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags > CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (where->capturing != nullptr || found->captured != nullptr)
        return capture_event_wait(*found, *where, flags == CU_EVENT_WAIT_EXTERNAL);
    wait_event(*found, *where);
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuEventQuery, context);
    const event* found = find_event(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (found->captured != nullptr)
        return CUDA_ERROR_CAPTURED_EVENT;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (found->recorded && found->on != nullptr)
        found->on->completed = std::max(found->on->completed, found->position);
    return found->ctx->sticky;
}

CUresult cuEventSynchronize(CUevent handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuEventSynchronize, context);
    const event* found = find_event(handle);
    if (found == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (found->captured != nullptr)
        return CUDA_ERROR_CAPTURED_EVENT;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (found->recorded && found->on != nullptr)
        found->on->completed = std::max(found->on->completed, found->position);
    return found->ctx->sticky;
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent first, CUevent last) {
    ALLOGRAPH_REFERENCE_ENTER(cuEventElapsedTime_v2, context);
    if (milliseconds == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    const event* from = find_event(first);
    const event* to = find_event(last);
    if (from == nullptr || to == nullptr || !from->recorded || !to->recorded)
        return CUDA_ERROR_INVALID_HANDLE;
    if (((from->flags | to->flags) & CU_EVENT_DISABLE_TIMING) != 0)
        return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = static_cast<float>(to->milliseconds - from->milliseconds);
    return CUDA_SUCCESS;
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent first, CUevent last) {
    return cuEventElapsedTime_v2(milliseconds, first, last);
}

}  // extern "C"
