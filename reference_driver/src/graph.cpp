#include "graph.hpp"

#include "capture.hpp"
#include "placement.hpp"

namespace allograph_reference {

std::shared_ptr<graph> make_graph() {
    auto made = std::make_shared<graph>();
    made->id = state().next_id++;
    state().graphs.insert(made.get());
    return made;
}

graph::~graph() {
    if (destroyed)
        follow_destroyed_graph();
    driver_state& all = state();
    abandon_captures_into(*this);
    all.graphs.erase(this);
    for (const auto& each : nodes)
        all.nodes.erase(each.get());
    if (memory != nullptr)
        memory->forget_owner();
    for (const auto& [object, count] : user_objects)
        release_user_object(*object, count);
}

CUgraphNodeType type_of(const node_data& data) {
    static constexpr CUgraphNodeType types[] = {
        CU_GRAPH_NODE_TYPE_EMPTY,          CU_GRAPH_NODE_TYPE_KERNEL,       CU_GRAPH_NODE_TYPE_MEMCPY,
        CU_GRAPH_NODE_TYPE_MEMSET,         CU_GRAPH_NODE_TYPE_HOST,         CU_GRAPH_NODE_TYPE_GRAPH,
        CU_GRAPH_NODE_TYPE_WAIT_EVENT,     CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL,
        CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, CU_GRAPH_NODE_TYPE_MEM_ALLOC,    CU_GRAPH_NODE_TYPE_MEM_FREE,
        CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,   CU_GRAPH_NODE_TYPE_CONDITIONAL};
    return types[data.index()];
}

void** kernel_data::arguments() {
    pointers.clear();
    for (const std::size_t offset : code->code->offsets)
        pointers.push_back(values.data() + offset);
    return pointers.data();
}

CUresult read_dependencies(graph& where, const CUgraphNode* nodes, const CUgraphEdgeData* edges, std::size_t count,
                           std::vector<dependency>& result) {
    if (count == 0)
        return CUDA_SUCCESS;  // an array with a count of 0 is not looked at [D5]
    if (nodes == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    const std::uint64_t mark = state().next_mark++;
    result.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
        node* from = find_node(nodes[index]);
        if (from == nullptr || from->owner != &where || from->mark == mark)
            return CUDA_ERROR_INVALID_VALUE;
        from->mark = mark;
        dependency each{from, {}};
        if (edges != nullptr)
            each.edge = edges[index];
        if (each.edge.to_port != 0)
            return CUDA_ERROR_INVALID_VALUE;
        if ((each.edge.from_port != 0 || each.edge.type != CU_GRAPH_DEPENDENCY_TYPE_DEFAULT) &&
            !std::holds_alternative<kernel_data>(from->data))
            return CUDA_ERROR_INVALID_VALUE;  // [D8]
        result.push_back(each);
    }
    return CUDA_SUCCESS;
}

namespace {

CUresult place_allocation(graph& where, node& by, alloc_data& data) {
    if (where.memory == nullptr)
        where.memory = std::make_shared<arena>();
    data.memory = where.memory->place(by, data.memory->bytes, data.memory->device);
    if (data.memory == nullptr)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (const CUmemAccessDesc& each : data.descriptors)
        data.memory->peers.push_back(each.location.id);
    return CUDA_SUCCESS;
}

// Measured: a moved child's memory shows up in its parent as one allocation of its chunks and one more, made and freed by the
// child node. Later nodes of the parent may take the room, the child itself never takes theirs [M6].
CUresult keep_room_for_child(graph& where, node& by, child_data& data) {
    if (data.child.get() == &where)
        return CUDA_SUCCESS;
    if (where.memory == nullptr)
        where.memory = std::make_shared<arena>();
    if (data.child->memory == nullptr)
        return CUDA_SUCCESS;
    for (const auto& [device, chunks] : data.child->memory->footprint()) {
        std::shared_ptr<allocation> room = where.memory->place(by, (chunks + 1) * chunk_bytes, device);
        if (room == nullptr)
            return CUDA_ERROR_OUT_OF_MEMORY;
        room->stands_for_child = true;
        where.memory->freed(room, by);
        data.rooms.push_back(std::move(room));
    }
    return CUDA_SUCCESS;
}

// Finds what a new free node frees. The same address may belong to several allocations of a graph, one after the other [A12].
CUresult resolve_free(const graph& where, free_data& data) {
    const std::uint64_t address = data.address;
    auto found = find_allocation(address, [address](const allocation& each) {
        return each.address == address && each.is_known() && !each.freed_in_owner;
    });
    if (found == nullptr)
        found = find_allocation(address, [address](const allocation& each) { return each.address == address && each.live; });
    if (found == nullptr || found->freed_in_owner)
        return CUDA_ERROR_INVALID_VALUE;  // [F1] [F2] [F3]
    if (found->graph_id == where.id && found->left_unfreed)
        return CUDA_ERROR_INVALID_VALUE;  // [G10]
    if (found->graph_id == where.id && found->freed_elsewhere)
        return CUDA_ERROR_INVALID_VALUE;  // [F4]
    data.memory = found;
    return CUDA_SUCCESS;
}

// A graph owned by another's node makes that other one hold what it holds.
void tell_holders(graph& which) {
    const graph* at = &which;
    for (int depth = 0; depth < 64 && at->holder != nullptr && !at->body; ++depth) {
        graph* above = at->holder->owner;
        if (above == at)
            return;
        if (at->holds_memory())
            above->has_moved_memory = true;
        at = above;
    }
}

}  // namespace

CUresult add_node(graph& where, std::vector<dependency> dependencies, node_data data, node*& result) {
    result = nullptr;
    auto made = std::make_unique<node>();
    made->owner = &where;
    made->id = state().next_id++;
    made->dependencies = std::move(dependencies);

    auto* allocates = std::get_if<alloc_data>(&data);
    auto* frees = std::get_if<free_data>(&data);
    if ((allocates != nullptr || frees != nullptr) && where.moved)
        return CUDA_ERROR_NOT_SUPPORTED;  // [C1]
    if (frees != nullptr)
        if (const CUresult checked = resolve_free(where, *frees); checked != CUDA_SUCCESS)
            return checked;
    if (const CUresult checked = check_addresses(data, made.get()); checked != CUDA_SUCCESS)
        return checked;
    if (allocates != nullptr)
        if (const CUresult placed = place_allocation(where, *made, *allocates); placed != CUDA_SUCCESS)
            return placed;

    if (frees != nullptr) {
        allocation& memory = *frees->memory;
        if (memory.graph_id == where.id) {
            memory.freed_in_owner = true;
            memory.free_node = made.get();
            where.memory->freed(frees->memory, *made);
        } else {
            memory.freed_elsewhere = true;
        }
    }
    if (allocates != nullptr || frees != nullptr)
        where.has_memory_nodes = true;
    if (auto* child = std::get_if<child_data>(&data)) {
        child->child->holder = made.get();
        if (child->child->holds_memory()) {
            where.has_moved_memory = true;
            if (const CUresult kept = keep_room_for_child(where, *made, *child); kept != CUDA_SUCCESS)
                return kept;
        }
    }
    if (const auto* conditional = std::get_if<conditional_data>(&data)) {
        where.has_conditional = true;
        for (const auto& body : conditional->bodies)
            body->holder = made.get();
    }
    for (const dependency& each : made->dependencies)
        each.from->dependents.push_back(made.get());
    made->data = std::move(data);
    result = made.get();
    state().nodes.insert(result);
    where.nodes.push_back(std::move(made));
    tell_holders(where);
    return CUDA_SUCCESS;
}

std::shared_ptr<graph> copy_graph(const graph& from) {
    auto copy = make_graph();
    std::unordered_map<const node*, node*> twins;
    for (const auto& each : from.nodes) {
        auto twin = std::make_unique<node>();
        twin->owner = copy.get();
        twin->id = state().next_id++;
        twin->data = each->data;
        twin->original = each.get();
        twin->original_id = each->id;
        if (auto* child = std::get_if<child_data>(&twin->data)) {
            child->child = copy_graph(*child->child);
            child->child->copied_child = true;
            child->child->holder = twin.get();
        }
        twins.emplace(each.get(), twin.get());
        state().nodes.insert(twin.get());
        copy->nodes.push_back(std::move(twin));
    }
    for (const auto& each : from.nodes) {
        node& twin = *twins.at(each.get());
        for (const dependency& dependency : each->dependencies)
            twin.dependencies.push_back({twins.at(dependency.from), dependency.edge});
        for (const node* dependent : each->dependents)
            twin.dependents.push_back(twins.at(dependent));
    }
    copy->edges_follow_creation = from.edges_follow_creation;
    for (const auto& [object, count] : from.user_objects) {
        retain_user_object(*object, count);
        copy->user_objects.emplace(object, count);
    }
    return copy;
}

bool holds_conditional(const graph& where) {
    if (where.has_conditional)
        return true;
    for (const auto& each : where.nodes)
        if (const auto* child = std::get_if<child_data>(&each->data); child != nullptr && child->child.get() != &where)
            if (holds_conditional(*child->child))
                return true;
    return false;
}

bool bodies_hold_memory(const graph& where) {
    for (const auto& each : where.nodes) {
        if (const auto* conditional = std::get_if<conditional_data>(&each->data))
            for (const auto& body : conditional->bodies)
                if (body->holds_memory() || bodies_hold_memory(*body))
                    return true;
        if (const auto* child = std::get_if<child_data>(&each->data); child != nullptr && child->child.get() != &where)
            if (bodies_hold_memory(*child->child))
                return true;
    }
    return false;
}

}  // namespace allograph_reference

using namespace allograph_reference;

extern "C" {

CUresult cuGraphCreate(CUgraph* handle, unsigned flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphCreate, initialised);
    if (handle == nullptr || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    auto made = make_graph();
    *handle = handle_of<CUgraph>(made.get());
    graph* key = made.get();
    state().user_graphs.emplace(key, std::move(made));
    return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphDestroy, initialised);
    // A child or a body belongs to its node, a moved graph too [C4].
    const auto found = state().user_graphs.find(reinterpret_cast<graph*>(handle));
    if (found == state().user_graphs.end())
        return CUDA_ERROR_INVALID_VALUE;
    const std::shared_ptr<graph> last = std::move(found->second);
    state().user_graphs.erase(found);
    return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph* handle, CUgraph original) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphClone, initialised);
    const graph* found = find_graph(original);
    if (handle == nullptr || found == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    if (found->holds_memory() || holds_conditional(*found))
        return CUDA_ERROR_NOT_SUPPORTED;  // [G1] [C7] [C18]
    auto made = copy_graph(*found);
    *handle = handle_of<CUgraph>(made.get());
    graph* key = made.get();
    state().user_graphs.emplace(key, std::move(made));
    return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode* handle, CUgraphNode original, CUgraph clone) {
    ALLOGRAPH_REFERENCE_ENTER(cuGraphNodeFindInClone, initialised);
    const graph* where = find_graph(clone);
    const node* wanted = find_node(original);
    if (handle == nullptr || where == nullptr || wanted == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    for (const auto& each : where->nodes) {
        if (each->original_id != wanted->id)
            continue;
        *handle = handle_of<CUgraphNode>(each.get());
        return CUDA_SUCCESS;
    }
    return CUDA_ERROR_INVALID_VALUE;
}

}  // extern "C"
