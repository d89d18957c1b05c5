#include "exec.hpp"

#include <algorithm>

#include "capture.hpp"

namespace allograph_reference {
namespace {

constexpr int deepest = 64;

// Kahn's algorithm in the order of creation. False if a cycle is left.
bool sort_nodes(executable_graph& which) {
    const std::size_t count = which.nodes.size();
    std::vector<std::size_t> waiting(count);
    std::vector<std::vector<std::size_t>> dependents(count);
    std::set<std::size_t> ready;
    for (std::size_t index = 0; index < count; ++index) {
        waiting[index] = which.nodes[index].dependencies.size();
        for (const std::size_t from : which.nodes[index].dependencies)
            dependents[from].push_back(index);
        if (waiting[index] == 0)
            ready.insert(index);
    }
    which.order.clear();
    while (!ready.empty()) {
        const std::size_t next = *ready.begin();
        ready.erase(ready.begin());
        which.order.push_back(next);
        for (const std::size_t dependent : dependents[next])
            if (--waiting[dependent] == 0)
                ready.insert(dependent);
    }
    return which.order.size() == count;
}

bool snapshot(const graph& from, executable_graph& to, int depth) {
    if (depth > deepest)
        return false;
    std::unordered_map<const node*, std::size_t> places;
    to.nodes.resize(from.nodes.size());
    for (std::size_t index = 0; index < from.nodes.size(); ++index)
        places.emplace(from.nodes[index].get(), index);
    for (std::size_t index = 0; index < from.nodes.size(); ++index) {
        const node& each = *from.nodes[index];
        executable_node& copy = to.nodes[index];
        copy.origin = each.id;
        copy.data = each.data;
        for (const dependency& edge : each.dependencies) {
            copy.dependencies.push_back(places.at(edge.from));
            copy.edges.push_back(edge.edge);
        }
        std::vector<const graph*> inner;
        if (auto* child = std::get_if<child_data>(&copy.data)) {
            inner.push_back(child->child.get());
            child->child.reset();  // the graph may be destroyed before its executable [X5]
        }
        if (auto* conditional = std::get_if<conditional_data>(&copy.data)) {
            for (const auto& body : conditional->bodies)
                inner.push_back(body.get());
            conditional->bodies.clear();
            conditional->handles.clear();
        }
        for (const graph* which : inner) {
            if (which->destroyed)
                follow_destroyed_graph();
            copy.graphs.push_back(std::make_unique<executable_graph>());
            if (!snapshot(*which, *copy.graphs.back(), depth + 1))
                return false;
        }
    }
    return sort_nodes(to);
}

void collect(executable_graph& from, executable& into, std::set<const allocation*>& freed,
             std::vector<std::shared_ptr<allocation>>& frees) {
    for (executable_node& each : from.nodes) {
        if (const auto* allocates = std::get_if<alloc_data>(&each.data))
            into.allocations.emplace_back(allocates->memory);
        if (const auto* released = std::get_if<free_data>(&each.data)) {
            freed.insert(released->memory.get());
            frees.push_back(released->memory);
        }
        for (const auto& inner : each.graphs)
            collect(*inner, into, freed, frees);
    }
}

void collect_conditionals(const graph& from, executable& into, int depth) {
    if (depth > deepest)
        return;
    into.conditionals.insert(into.conditionals.end(), from.conditionals.begin(), from.conditionals.end());
    for (const auto& each : from.nodes) {
        if (const auto* conditional = std::get_if<conditional_data>(&each->data))
            for (const auto& body : conditional->bodies)
                collect_conditionals(*body, into, depth + 1);
        if (const auto* child = std::get_if<child_data>(&each->data))
            collect_conditionals(*child->child, into, depth + 1);
    }
}

void add_chunks(const allocation& memory, std::map<int, std::vector<std::uint64_t>>& to) {
    std::vector<std::uint64_t>& chunks = to[memory.device];
    const std::uint64_t last = (memory.address + memory.bytes - 1) / chunk_bytes;
    for (std::uint64_t chunk = memory.address / chunk_bytes; chunk <= last; ++chunk)
        chunks.push_back(chunk);
}

// The chunks of the graph's own allocations and of the rooms for its children. A child's addresses are mapped to such a room:
// they cost nothing more [M6].
void find_footprint(const executable_graph& from, executable& which, bool inside_child) {
    for (const executable_node& each : from.nodes) {
        if (const auto* allocates = std::get_if<alloc_data>(&each.data))
            add_chunks(*allocates->memory, inside_child ? which.aliases : which.chunks);
        if (const auto* child = std::get_if<child_data>(&each.data))
            for (const auto& room : child->rooms)
                add_chunks(*room, inside_child ? which.aliases : which.chunks);
        for (const auto& inner : each.graphs)
            find_footprint(*inner, which, true);
    }
}

void tidy(std::map<int, std::vector<std::uint64_t>>& all) {
    for (auto& [device, chunks] : all) {
        std::sort(chunks.begin(), chunks.end());
        chunks.erase(std::unique(chunks.begin(), chunks.end()), chunks.end());
    }
}

bool allowed_on_device(const node_data& data) {
    return std::holds_alternative<kernel_data>(data) || std::holds_alternative<memset_data>(data) ||
           std::holds_alternative<memcpy_data>(data) || std::holds_alternative<child_data>(data);
}

// A moved child's memory nodes are what the driver names, in the order of creation.
node* first_forbidden_on_device(const graph& where) {
    for (const auto& each : where.nodes)
        if (!allowed_on_device(each->data))
            return each.get();
    for (const auto& each : where.nodes)
        if (const auto* child = std::get_if<child_data>(&each->data))
            if (node* found = first_forbidden_on_device(*child->child))
                return found;
    return nullptr;
}

}  // namespace

CUresult instantiate(graph& source, unsigned long long flags, executable*& made, CUgraphInstantiateResult& result,
                     node*& problem) {
    made = nullptr;
    problem = nullptr;
    result = CUDA_GRAPH_INSTANTIATE_ERROR;
    constexpr unsigned long long known = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
                                         CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
                                         CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
    const bool for_device = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH) != 0;
    const bool auto_free = (flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0;
    if ((flags & ~known) != 0 || (for_device && auto_free))
        return CUDA_ERROR_INVALID_VALUE;  // [G8]
    if (source.moved)
        return CUDA_ERROR_NOT_SUPPORTED;  // [C2]
    if (source.body || source.copied_child)
        return CUDA_ERROR_INVALID_VALUE;
    if (source.executables != 0 && (source.holds_memory() || holds_conditional(source)))
        return CUDA_ERROR_NOT_SUPPORTED;  // [G5] [C7] [C18]
    if (for_device) {
        problem = first_forbidden_on_device(source);
        if (problem != nullptr || source.nodes.empty()) {
            result = CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED;
            return CUDA_ERROR_INVALID_VALUE;  // [G7]
        }
    }
    if (bodies_hold_memory(source))
        return CUDA_ERROR_INVALID_VALUE;  // [C8] [C10] [C16]

    auto fresh = std::make_unique<executable>();
    if (!snapshot(source, fresh->root, 0)) {
        result = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
        return CUDA_ERROR_INVALID_VALUE;  // [D7]
    }
    fresh->id = state().next_id++;
    fresh->graph_id = source.id;
    fresh->flags = flags;
    if (const auto owner = state().user_graphs.find(&source); owner != state().user_graphs.end())
        fresh->source = owner->second;
    std::set<const allocation*> freed;
    std::vector<std::shared_ptr<allocation>> frees;
    collect(fresh->root, *fresh, freed, frees);
    std::set<const allocation*> own;
    for (const auto& each : fresh->allocations) {
        own.insert(each.get());
        if (freed.contains(each.get()))
            continue;
        fresh->outputs.push_back(each);
        each->left_unfreed = true;
    }
    for (const auto& each : frees)
        if (!own.contains(each.get()))
            fresh->foreign.push_back(each);
    find_footprint(fresh->root, *fresh, false);
    tidy(fresh->chunks);
    tidy(fresh->aliases);
    collect_conditionals(source, *fresh, 0);
    for (const auto& [object, count] : source.user_objects) {
        retain_user_object(*object, count);
        fresh->user_objects.emplace(object, count);
    }
    if (state().strict)
        check_strictly(source);
    ++source.executables;
    made = fresh.get();
    state().executables.emplace(made, std::move(fresh));
    result = CUDA_GRAPH_INSTANTIATE_SUCCESS;
    return CUDA_SUCCESS;
}

executable_node* find_executable_node(executable_graph& where, std::uint64_t origin) {
    for (executable_node& each : where.nodes) {
        if (each.origin == origin)
            return &each;
        for (const auto& inner : each.graphs)
            if (executable_node* found = find_executable_node(*inner, origin))
                return found;
    }
    return nullptr;
}

namespace {

CUresult make_executable(CUgraphExec* handle, CUgraph source, unsigned long long flags, CUgraphInstantiateResult& result,
                         node*& problem) {
    graph* from = find_graph(source);
    if (handle == nullptr || from == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    executable* made = nullptr;
    const CUresult answer = instantiate(*from, flags, made, result, problem);
    if (answer == CUDA_SUCCESS)
        *handle = handle_of<CUgraphExec>(made);
    return answer;
}

}  // namespace

}  // namespace allograph_reference

using namespace allograph_reference;

extern "C" {

CUresult cuGraphInstantiateWithFlags(CUgraphExec* handle, CUgraph source, unsigned long long flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphInstantiateWithFlags, initialised);
    CUgraphInstantiateResult result{};
    node* problem = nullptr;
    return make_executable(handle, source, flags, result, problem);
}

CUresult cuGraphInstantiate_v2(CUgraphExec* handle, CUgraph source, CUgraphNode* error_node, char* log, std::size_t log_bytes) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphInstantiate_v2, initialised);
    CUgraphInstantiateResult result{};
    node* problem = nullptr;
    if (log != nullptr && log_bytes != 0)
        *log = '\0';
    const CUresult answer = make_executable(handle, source, 0, result, problem);
    if (error_node != nullptr)
        *error_node = handle_of<CUgraphNode>(problem);
    return answer;
}
CUresult cuGraphInstantiate(CUgraphExec* handle, CUgraph source, CUgraphNode* error_node, char* log, std::size_t log_bytes) {
    return cuGraphInstantiate_v2(handle, source, error_node, log, log_bytes);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* handle, CUgraph source, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphInstantiateWithParams, initialised);
    if (params == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    node* problem = nullptr;
    const CUresult answer = make_executable(handle, source, params->flags, params->result_out, problem);
    params->hErrNode_out = handle_of<CUgraphNode>(problem);
    if (answer != CUDA_SUCCESS || (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) == 0)
        return answer;
    stream* on = find_stream(params->hUploadStream);
    return on == nullptr ? CUDA_ERROR_INVALID_HANDLE : upload(*find_executable(*handle), *on);
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecDestroy, initialised);
    executable* which = find_executable(handle);
    if (which == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (invalidate_unsafe_captures())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;  // it stays
    if (const auto source = which->source.lock())
        --source->executables;
    const auto objects = which->user_objects;
    state().executables.erase(which);  // what its last launch left unfreed stays [X3] [X4]
    for (const auto& [object, count] : objects)
        release_user_object(*object, count);
    return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphExecGetFlags, initialised);
    const executable* which = find_executable(handle);
    if (which == nullptr || flags == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *flags = which->flags & ~static_cast<cuuint64_t>(CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);  // as 13.0 answers
    return CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphUpload, context);
    executable* which = find_executable(handle);
    stream* where = find_stream(on);
    if (which == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    return where == nullptr ? CUDA_ERROR_INVALID_HANDLE : upload(*which, *where);
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream on) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphLaunch, context);
    executable* which = find_executable(handle);
    stream* where = find_stream(on);
    if (which == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    return where == nullptr ? CUDA_ERROR_INVALID_HANDLE : launch(*which, *where);
}

}  // extern "C"
