// The state of the process, and what every exported function begins with.
#pragma once

#include <cstdio>
#include <list>
#include <mutex>
#include <string_view>

#include "address_space.hpp"
#include "objects.hpp"
#include "physical.hpp"

namespace allograph_reference {

struct device_state {
    int ordinal = 0;
    address_space graph_space;
    heap_space heap;
    physical_memory physical;
    std::unique_ptr<context> primary;
    unsigned primary_references = 0;
    unsigned primary_flags = 0;
};

struct failure {
    std::string function;
    unsigned remaining = 0;
    CUresult result = CUDA_SUCCESS;
};

struct host_block {
    std::size_t bytes = 0;
    unsigned flags = 0;
    bool registered = false;  // the program's own memory: unregistering frees nothing
};

/// Everything, made once and never destroyed: programs call the driver from static destructors.
struct driver_state {
    std::recursive_mutex mutex;  // recursive: host functions call the C header while a graph runs
    bool initialised = false;
    std::vector<std::unique_ptr<device_state>> devices;
    std::uint64_t total_memory = 0;
    std::uint64_t next_id = 1;
    std::uint64_t next_mark = 1;

    std::unordered_map<graph*, std::shared_ptr<graph>> user_graphs;  // what cuGraphDestroy may destroy
    std::unordered_set<graph*> graphs;                               // children and bodies too
    std::unordered_set<node*> nodes;
    std::unordered_map<executable*, std::unique_ptr<executable>> executables;
    std::unordered_map<user_object*, std::unique_ptr<user_object>> user_objects;
    std::unordered_map<stream*, std::unique_ptr<stream>> streams;
    std::unordered_map<event*, std::unique_ptr<event>> events;
    std::unordered_map<context*, std::unique_ptr<context>> contexts;
    std::map<std::pair<context*, std::uint64_t>, std::unique_ptr<stream>> default_streams;
    std::unordered_map<module_image*, std::unique_ptr<module_image>> modules;
    std::unordered_set<function*> functions;
    std::map<std::string, std::shared_ptr<kernel_code>, std::less<>> kernels;
    std::map<CUgraphConditionalHandle, std::weak_ptr<conditional_handle>> conditionals;
    std::map<std::uint64_t, host_block> host_blocks;
    std::set<std::shared_ptr<allocation>> live;  // keeps the addresses of what a launch left unfreed [X4]
    std::vector<std::shared_ptr<capture>> captures;

    std::vector<failure> failures;
    std::unordered_map<std::string, std::size_t> calls;
    bool strict = false;
    std::list<std::string> reports;
    std::uint64_t order_seed = 0;
    bool pools = true;  // whether the devices say that they support memory pools
};

driver_state& state();

/// The current context of the calling thread, or null.
context* current_context();
std::vector<context*>& context_stack();
std::uint64_t thread_number();

/// Opens an exported function: takes the lock, counts the call, and finds out whether it was told to fail.
class entry {
public:
    enum class needs { nothing, initialised, context };
    entry(std::string_view function, needs what);
    CUresult result = CUDA_SUCCESS;

private:
    std::unique_lock<std::recursive_mutex> lock_;
};

/// While one lives, the thread runs a host function or a kernel, which may not call the driver [C14].
class callback_scope {
public:
    callback_scope();
    ~callback_scope();
    callback_scope(const callback_scope&) = delete;
    callback_scope& operator=(const callback_scope&) = delete;
    static void reset();
};

/// A function name without its version and stream suffixes.
std::string_view base_name(std::string_view function);

/// Notes a finding of strict mode, once.
void report(std::string text);

#define ALLOGRAPH_REFERENCE_ENTER(function, what)                                                                                \
    const ::allograph_reference::entry entered{#function, ::allograph_reference::entry::needs::what};                            \
    if (entered.result != CUDA_SUCCESS)                                                                                          \
    return entered.result

// Handles to objects. Null where the handle is unknown.
graph* find_graph(CUgraph handle);
node* find_node(CUgraphNode handle);
executable* find_executable(CUgraphExec handle);
event* find_event(CUevent handle);
context* find_context(CUcontext handle);
function* find_function(CUfunction handle);
device_state* find_device(int ordinal);
/// Resolves the default streams too; null if there is no such stream.
stream* find_stream(CUstream handle);

template <class Handle, class Object>
Handle handle_of(Object* object) {
    return reinterpret_cast<Handle>(object);
}

/// Frees a launched allocation: its pages close and its chunks may be used by others.
void release_allocation(const std::shared_ptr<allocation>& memory);
void make_live(const std::shared_ptr<allocation>& memory);
/// The live graph allocation that starts at `address`, or null.
std::shared_ptr<allocation> find_live(std::uint64_t address);

/// Whether `[address, address + bytes)` lies in memory that a copy or a memset on a stream may touch now [X8].
bool device_range_accessible(std::uint64_t address, std::uint64_t bytes, const context* from);
/// Whether `address` belongs to the addresses of any device.
bool is_device_address(std::uint64_t address);

}  // namespace allograph_reference
