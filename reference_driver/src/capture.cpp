#include <cstdio>
#include <cstdlib>

#include "capture.hpp"

#include <algorithm>

#include "exec.hpp"
#include "graph.hpp"
#include "stream.hpp"

namespace allograph_reference {
[[noreturn]] void follow_destroyed_graph() {
    std::fputs("allograph reference driver: the graph inside of a node was destroyed by a capture into it\n", stderr);
    std::abort();
}

namespace {

CUstreamCaptureMode& thread_mode() {
    thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    return mode;
}

void join(stream& which, const std::shared_ptr<capture>& into) {
    which.capturing = into;
    which.capture_dependencies.clear();
    which.capture_edges.clear();
    into->streams.push_back(&which);
}

void leave_all(capture& which) {
    for (stream* each : which.streams) {
        each->capturing.reset();
        each->capture_dependencies.clear();
        each->capture_edges.clear();
    }
    which.streams.clear();
    which.ended = true;
    std::erase_if(state().captures, [&](const auto& each) { return each.get() == &which; });
}

// A capture that does not end well takes its graph along, also one that the program made: its handle is known no more [C13].
// So is that of a child or a body, whose node is left with it.
void destroy_target(capture& which) {
    if (which.target->holder != nullptr) {
        which.target->destroyed = true;
        state().graphs.erase(which.target);
    }
    state().user_graphs.erase(which.target);
    which.target = nullptr;
}

void add_dependency(stream& to, node* from) {
    if (std::find(to.capture_dependencies.begin(), to.capture_dependencies.end(), from) != to.capture_dependencies.end())
        return;
    to.capture_dependencies.push_back(from);
    to.capture_edges.push_back({});
}

std::vector<dependency> dependencies_of(const stream& on) {
    std::vector<dependency> result;
    for (std::size_t index = 0; index < on.capture_dependencies.size(); ++index)
        result.push_back({on.capture_dependencies[index], on.capture_edges[index]});
    return result;
}

CUresult begin(CUstream handle, std::shared_ptr<capture> fresh, CUstreamCaptureMode mode, stream*& on) {
    on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    // The legacy stream cannot be captured.
    if (reinterpret_cast<std::uintptr_t>(handle) < 2)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (mode < CU_STREAM_CAPTURE_MODE_GLOBAL || mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (on->capturing != nullptr)
        return CUDA_ERROR_ILLEGAL_STATE;
    fresh->mode = mode;
    fresh->id = state().next_id++;
    fresh->thread = thread_number();
    fresh->origin = on;
    state().captures.push_back(fresh);
    join(*on, fresh);
    return CUDA_SUCCESS;
}

// Whatever a joined stream captured must be ordered before what the origin stream ends with.
bool all_joined(const capture& which) {
    std::unordered_set<const node*> reached;
    std::vector<const node*> open(which.origin->capture_dependencies.begin(), which.origin->capture_dependencies.end());
    while (!open.empty()) {
        const node* at = open.back();
        open.pop_back();
        if (!reached.insert(at).second)
            continue;
        for (const dependency& each : at->dependencies)
            open.push_back(each.from);
    }
    return std::all_of(which.streams.begin(), which.streams.end(), [&](const stream* each) {
        return std::all_of(each->capture_dependencies.begin(), each->capture_dependencies.end(),
                           [&](const node* last) { return reached.contains(last); });
    });
}

}  // namespace

bool invalidate_unsafe_captures() {
    if (thread_mode() == CU_STREAM_CAPTURE_MODE_RELAXED)
        return false;
    bool found = false;
    for (const auto& each : state().captures) {
        const bool own = each->thread == thread_number();
        if (each->mode == CU_STREAM_CAPTURE_MODE_RELAXED)
            continue;
        if (each->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && !own)
            continue;
        if (thread_mode() == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && !own)
            continue;
        each->invalidated = true;
        found = true;
    }
    return found;
}

bool invalidate_capture_of(stream& on) {
    if (on.capturing == nullptr)
        return false;
    on.capturing->invalidated = true;
    return true;
}

void abandon_capture(stream& gone) {
    const std::shared_ptr<capture> ending = gone.capturing;
    if (ending == nullptr)
        return;
    if (ending->origin == &gone) {
        leave_all(*ending);
        destroy_target(*ending);
        return;
    }
    ending->invalidated = true;
    std::erase(ending->streams, &gone);
}

void abandon_captures_into(const graph& gone) {
    for (const auto& each : state().captures) {
        if (each->target != &gone)
            continue;
        each->invalidated = true;
        each->target = nullptr;
    }
}

CUresult capture_node(stream& on, node_data data, node** made) {
    if (on.capturing->invalidated)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    node* added = nullptr;
    const CUresult result = add_node(*on.capturing->target, dependencies_of(on), std::move(data), added);
    if (result != CUDA_SUCCESS)
        return result;
    on.capture_dependencies.assign(1, added);
    on.capture_edges.assign(1, {});
    if (made != nullptr)
        *made = added;
    return CUDA_SUCCESS;
}

CUresult capture_event_record(event& which, stream& on, bool external) {
    if (on.capturing->invalidated)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (external)
        return capture_node(on, event_record_data{handle_of<CUevent>(&which)});
    which.captured = on.capturing;
    which.captured_nodes = on.capture_dependencies;
    return CUDA_SUCCESS;
}

CUresult capture_event_wait(event& which, stream& on, bool external) {
    if (on.capturing != nullptr && on.capturing->invalidated)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (external) {
        if (on.capturing == nullptr)
            return CUDA_ERROR_ILLEGAL_STATE;
        return capture_node(on, event_wait_data{handle_of<CUevent>(&which)});
    }
    if (which.captured == nullptr) {
        // A captured stream may not depend on work outside of the capture.
        on.capturing->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (which.captured->ended)
        return CUDA_ERROR_CAPTURED_EVENT;
    if (which.captured->invalidated)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (on.capturing == nullptr)
        join(on, which.captured);
    if (on.capturing != which.captured) {
        on.capturing->invalidated = which.captured->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    for (node* each : which.captured_nodes)
        add_dependency(on, each);
    return CUDA_SUCCESS;
}

CUresult issue_or_capture(CUstream handle, node_data data) {
    stream* on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (on->capturing != nullptr)
        return capture_node(*on, std::move(data));
    return run_single(data, *on);
}

}  // namespace allograph_reference

using namespace allograph_reference;

extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamBeginCapture_v2, context);
    auto fresh = std::make_shared<capture>();
    stream* on = nullptr;
    if (const CUresult result = begin(handle, fresh, mode, on); result != CUDA_SUCCESS)
        return result;
    auto target = make_graph();
    fresh->target = target.get();
    graph* key = target.get();
    state().user_graphs.emplace(key, std::move(target));
    return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture(CUstream handle) { return cuStreamBeginCapture_v2(handle, CU_STREAM_CAPTURE_MODE_GLOBAL); }

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph target, const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                                     std::size_t count, CUstreamCaptureMode mode) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamBeginCaptureToGraph, context);
    graph* into = find_graph(target);
    if (into == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    std::vector<dependency> dependencies;
    if (const CUresult read = read_dependencies(*into, nodes, edges, count, dependencies); read != CUDA_SUCCESS)
        return read;  // [C19]
    if (std::any_of(state().captures.begin(), state().captures.end(), [&](const auto& each) { return each->target == into; }))
        return CUDA_ERROR_ILLEGAL_STATE;
    auto fresh = std::make_shared<capture>();
    fresh->target = into;
    stream* on = nullptr;
    if (const CUresult result = begin(handle, fresh, mode, on); result != CUDA_SUCCESS)
        return result;
    for (const dependency& each : dependencies) {
        on->capture_dependencies.push_back(each.from);
        on->capture_edges.push_back(each.edge);
    }
    return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* result) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamEndCapture, context);
    stream* on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (result == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *result = nullptr;
    if (on->capturing == nullptr)
        return CUDA_ERROR_ILLEGAL_STATE;
    const std::shared_ptr<capture> ending = on->capturing;
    if (ending->origin != on) {
        ending->invalidated = true;
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    CUresult answer = CUDA_SUCCESS;
    if (ending->mode != CU_STREAM_CAPTURE_MODE_RELAXED && ending->thread != thread_number())
        answer = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    else if (ending->invalidated)
        answer = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (!all_joined(*ending))
        answer = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    leave_all(*ending);
    if (answer == CUDA_SUCCESS)
        *result = handle_of<CUgraph>(ending->target);
    else
        destroy_target(*ending);
    return answer;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamIsCapturing, context);
    const stream* on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (status == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *status = on->capturing == nullptr     ? CU_STREAM_CAPTURE_STATUS_NONE
              : on->capturing->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                           : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* target,
                                   const CUgraphNode** dependencies, const CUgraphEdgeData** edges, std::size_t* count) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamGetCaptureInfo_v3, context);
    const stream* on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (status == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (on->capturing == nullptr) {
        *status = CU_STREAM_CAPTURE_STATUS_NONE;
        return CUDA_SUCCESS;
    }
    *status = on->capturing->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (on->capturing->invalidated)
        return CUDA_SUCCESS;
    if (id != nullptr)
        *id = on->capturing->id;
    if (target != nullptr)
        *target = handle_of<CUgraph>(on->capturing->target);
    static_assert(sizeof(node*) == sizeof(CUgraphNode));
    if (dependencies != nullptr)
        *dependencies = reinterpret_cast<const CUgraphNode*>(on->capture_dependencies.data());
    if (edges != nullptr)
        *edges = on->capture_edges.data();
    if (count != nullptr)
        *count = on->capture_dependencies.size();
    return CUDA_SUCCESS;
}
CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* target,
                                   const CUgraphNode** dependencies, std::size_t* count) {
    return cuStreamGetCaptureInfo_v3(handle, status, id, target, dependencies, nullptr, count);
}
CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id) {
    return cuStreamGetCaptureInfo_v3(handle, status, id, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode* nodes, const CUgraphEdgeData* edges,
                                              std::size_t count, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuStreamUpdateCaptureDependencies_v2, context);
    stream* on = find_stream(handle);
    if (on == nullptr)
        return CUDA_ERROR_INVALID_HANDLE;
    if (on->capturing == nullptr)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        return CUDA_ERROR_INVALID_VALUE;
    if (on->capturing->invalidated)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    std::vector<dependency> dependencies;
    if (const CUresult read = read_dependencies(*on->capturing->target, nodes, edges, count, dependencies); read != CUDA_SUCCESS)
        return read;
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
        on->capture_dependencies.clear();
        on->capture_edges.clear();
    }
    for (const dependency& each : dependencies) {
        add_dependency(*on, each.from);
        on->capture_edges.back() = each.edge;
    }
    return CUDA_SUCCESS;
}
CUresult cuStreamUpdateCaptureDependencies(CUstream handle, CUgraphNode* nodes, std::size_t count, unsigned flags) {
    return cuStreamUpdateCaptureDependencies_v2(handle, nodes, nullptr, count, flags);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
    ALLOGRAPH_REFERENCE_ENTER(cuThreadExchangeStreamCaptureMode, initialised);
    if (mode == nullptr || *mode < CU_STREAM_CAPTURE_MODE_GLOBAL || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    std::swap(*mode, thread_mode());
    return CUDA_SUCCESS;
}

}  // extern "C"
