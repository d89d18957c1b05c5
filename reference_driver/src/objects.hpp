// The objects behind the driver's handles. A handle is the address of its object.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "allograph_reference/reference_driver.h"
#include "newer.hpp"

namespace allograph_reference {

struct arena;
struct graph;
struct node;
struct capture;

/// Bytes that the driver maps at once: every count of physical memory is a multiple of it [M3].
inline constexpr std::uint64_t chunk_bytes = std::uint64_t{32} << 20;

/// One allocation node's memory. Shared by the node, its executables and the registry of live memory.
struct allocation {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    int device = 0;
    std::vector<int> peers;         // devices that an access descriptor names [P1]
    std::uint64_t node_id = 0;      // the node that made it
    std::uint64_t graph_id = 0;     // and its graph
    node* free_node = nullptr;      // the node of its own graph that frees it; not to be followed once the graph is gone
    bool freed_in_owner = false;    // [F1] [F3]
    bool freed_elsewhere = false;   // [F4]: stays even when that other graph is destroyed
    bool left_unfreed = false;      // an executable was made that does not free it: its own graph cannot any more [G10]
    bool stands_for_child = false;  // no allocation node's, but the room that a parent keeps for a moved child [M6]
    bool owner_exists = true;       // its graph is there
    unsigned holders = 0;           // executables that make it, and free nodes wherever they are
    bool live = false;              // a launch has made it and nothing has freed it

    /// The driver forgets the address of an allocation that nothing holds.
    [[nodiscard]] bool is_known() const { return owner_exists || holders != 0; }
};

/// What makes an allocation known for as long as it is there.
class allocation_hold {
public:
    allocation_hold() = default;
    allocation_hold(std::shared_ptr<allocation> held) : held_(std::move(held)) { count(1); }
    allocation_hold(const allocation_hold& other) : held_(other.held_) { count(1); }
    allocation_hold(allocation_hold&& other) noexcept : held_(std::move(other.held_)) {}
    allocation_hold& operator=(allocation_hold other) noexcept {
        held_.swap(other.held_);
        return *this;
    }
    ~allocation_hold() { count(-1); }

    operator const std::shared_ptr<allocation>&() const { return held_; }
    [[nodiscard]] allocation* get() const { return held_.get(); }
    allocation& operator*() const { return *held_; }
    allocation* operator->() const { return held_.get(); }
    friend bool operator==(const allocation_hold&, const allocation_hold&) = default;

private:
    void count(int more) const {
        if (held_ != nullptr)
            held_->holders += static_cast<unsigned>(more);
    }
    std::shared_ptr<allocation> held_;
};

struct context {
    int device = 0;
    bool primary = false;
    unsigned flags = 0;
    std::uint64_t id = 0;
    CUresult sticky = CUDA_SUCCESS;  // an error of a kernel, answered by every later call that meets the device
    std::set<context*> peers;
};

struct stream {
    context* ctx = nullptr;
    unsigned flags = 0;
    int priority = 0;
    std::uint64_t id = 0;
    std::uint64_t issued = 0;     // launches so far
    std::uint64_t completed = 0;  // of those, how many the program has waited for
    std::shared_ptr<capture> capturing;
    std::vector<node*> capture_dependencies;
    std::vector<CUgraphEdgeData> capture_edges;
    std::map<int, CUstreamAttrValue> attributes;
};

struct event {
    context* ctx = nullptr;
    unsigned flags = 0;
    bool recorded = false;
    double milliseconds = 0;
    stream* on = nullptr;  // where it was recorded: waiting for it waits for that stream
    std::uint64_t position = 0;
    std::shared_ptr<capture> captured;
    std::vector<node*> captured_nodes;
};

/// A stream capture, shared by every stream that joined it.
struct capture {
    graph* target = nullptr;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    std::uint64_t id = 0;
    std::uint64_t thread = 0;
    stream* origin = nullptr;
    bool invalidated = false;
    bool ended = false;
    std::vector<stream*> streams;
};

struct user_object {
    void* pointer = nullptr;
    CUhostFn destroy = nullptr;
    unsigned count = 0;
};

/// What a name registered through the C header stands for.
struct kernel_code {
    std::string name;
    allograph_reference_kernel function = nullptr;
    std::vector<std::size_t> sizes;
    std::vector<std::size_t> offsets;
    std::vector<bool> read_only;
};

struct module_image;

/// A CUfunction, and a CUkernel too: a kernel's function is the same object.
struct function {
    std::shared_ptr<kernel_code> code;
    module_image* home = nullptr;
    std::map<int, int> attributes;
};

/// A CUmodule or a CUlibrary. Any image is accepted: nothing in it is read.
struct module_image {
    bool library = false;
    std::map<std::string, std::unique_ptr<function>> functions;
};

struct kernel_data {
    function* code = nullptr;
    bool by_kernel_handle = false;
    CUcontext ctx = nullptr;
    unsigned grid[3] = {1, 1, 1};
    unsigned block[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
    std::vector<std::byte> values;  // the parameters, each at its offset
    std::vector<void*> pointers;    // into `values`; rebuilt by arguments()
    std::map<int, CUlaunchAttributeValue> attributes;

    /// The array that kernelParams points to, valid until the parameters change.
    void** arguments();
};
struct memcpy_data {
    CUDA_MEMCPY3D copy{};
    CUcontext ctx = nullptr;
};
struct memset_data {
    CUDA_MEMSET_NODE_PARAMS_v1 set{};
    CUcontext ctx = nullptr;
};
struct host_data {
    CUhostFn fn = nullptr;
    void* user_data = nullptr;
};
struct child_data {
    std::shared_ptr<graph> child;
    std::vector<std::shared_ptr<allocation>> rooms;  // what its parent keeps for a moved child's memory
};
struct empty_data {};
struct event_wait_data {
    CUevent event = nullptr;
};
struct event_record_data {
    CUevent event = nullptr;
};
struct semaphore_signal_data {
    std::vector<CUexternalSemaphore> semaphores;
    std::vector<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS> params;
};
struct semaphore_wait_data {
    std::vector<CUexternalSemaphore> semaphores;
    std::vector<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> params;
};
struct alloc_data {
    std::shared_ptr<allocation> memory;
    CUmemPoolProps properties{};
    std::vector<CUmemAccessDesc> descriptors;
};
struct free_data {
    std::uint64_t address = 0;
    allocation_hold memory;
};
struct batch_data {
    CUcontext ctx = nullptr;
    unsigned flags = 0;
    std::vector<CUstreamBatchMemOpParams> operations;
};
struct conditional_data {
    CUgraphConditionalHandle handle = 0;
    CUgraphConditionalNodeType type = CU_GRAPH_COND_TYPE_IF;
    CUcontext ctx = nullptr;
    std::vector<std::shared_ptr<graph>> bodies;
    std::vector<CUgraph> handles;  // what phGraph_out points to
};

using node_data =
    std::variant<empty_data, kernel_data, memcpy_data, memset_data, host_data, child_data, event_wait_data, event_record_data,
                 semaphore_signal_data, semaphore_wait_data, alloc_data, free_data, batch_data, conditional_data>;

CUgraphNodeType type_of(const node_data& data);

struct dependency {
    node* from = nullptr;
    CUgraphEdgeData edge{};
};

struct node {
    graph* owner = nullptr;
    std::uint64_t id = 0;  // unique in the process and never used again
    node_data data;
    std::vector<dependency> dependencies;
    std::vector<node*> dependents;
    std::uint64_t mark = 0;    // the last search that came by
    node* original = nullptr;  // in a clone: what it was copied from
    std::uint64_t original_id = 0;
};

/// Shared by the graph and its executables: a kernel may set it after the graph is destroyed.
struct conditional_handle {
    CUgraphConditionalHandle handle = 0;
    graph* owner = nullptr;
    unsigned default_value = 0;
    bool assign_default = false;
    bool used = false;
    unsigned value = 0;
};

struct graph {
    std::uint64_t id = 0;
    std::vector<std::unique_ptr<node>> nodes;
    std::shared_ptr<arena> memory;  // made with the first allocation node
    std::map<user_object*, unsigned> user_objects;
    std::vector<std::shared_ptr<conditional_handle>> conditionals;
    bool has_memory_nodes = false;  // alloc or free nodes of its own
    bool has_moved_memory = false;  // a moved child holds memory nodes
    bool has_conditional = false;
    bool moved = false;  // owned by the node of another graph [C1] [C2] [C3] [C4]
    bool copied_child = false;
    bool body = false;
    bool destroyed = false;             // by a capture into it that ended badly, while a node still holds it [C13]
    bool edges_follow_creation = true;  // no edge points from a later node to an earlier one: searches can stop early
    std::size_t executables = 0;
    node* holder = nullptr;  // the node that it is a child or a body of

    [[nodiscard]] bool holds_memory() const { return has_memory_nodes || has_moved_memory; }
    ~graph();
};

struct executable_graph;

struct executable_node {
    std::uint64_t origin = 0;  // id of the node it was made from
    node_data data;
    bool enabled = true;
    std::vector<std::size_t> dependencies;  // indices in the same executable graph
    std::vector<CUgraphEdgeData> edges;
    std::vector<std::unique_ptr<executable_graph>> graphs;  // the child, or the bodies
};

/// A snapshot of a graph, in the order of creation.
struct executable_graph {
    std::vector<executable_node> nodes;
    std::vector<std::size_t> order;  // topological, earliest created first
};

struct executable {
    std::uint64_t id = 0;
    std::uint64_t graph_id = 0;
    std::weak_ptr<graph> source;
    unsigned long long flags = 0;
    executable_graph root;
    std::vector<allocation_hold> allocations;           // of every alloc node, children included
    std::vector<std::shared_ptr<allocation>> outputs;   // of those, the ones that it does not free
    std::vector<std::shared_ptr<allocation>> foreign;   // that it frees and does not make [X6]
    std::map<int, std::vector<std::uint64_t>> chunks;   // by device, sorted: what the addresses touch
    std::map<int, std::vector<std::uint64_t>> aliases;  // chunks of moved children, mapped to memory that `chunks` has already
    std::vector<std::shared_ptr<conditional_handle>> conditionals;
    std::map<user_object*, unsigned> user_objects;
};

}  // namespace allograph_reference
