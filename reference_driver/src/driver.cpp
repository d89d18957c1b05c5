#include "driver.hpp"

#include <algorithm>
#include <cstdlib>

#include "faults.hpp"
#include "placement.hpp"

namespace allograph_reference {
namespace {

constexpr std::uint64_t h200_memory = 150109880320;
// What was free on an H200 before anything was allocated, less than the whole by this much: firmware and the context.
constexpr std::uint64_t h200_overhead = 1699545088;

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    if (text == nullptr)
        return otherwise;
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text, &end, 0);
    return end != text ? value : otherwise;
}

bool make_devices(driver_state& all) {
    all.total_memory = number_from_environment("ALLOGRAPH_REFERENCE_DEVICE_MEMORY", h200_memory);
    all.order_seed = number_from_environment("ALLOGRAPH_REFERENCE_ORDER_SEED", 0);
    all.strict = number_from_environment("ALLOGRAPH_REFERENCE_STRICT", 0) != 0;
    all.pools = number_from_environment("ALLOGRAPH_REFERENCE_POOLS", 1) != 0;
    const std::uint64_t count = std::min<std::uint64_t>(number_from_environment("ALLOGRAPH_REFERENCE_DEVICES", 1), 16);
    for (std::uint64_t ordinal = 0; ordinal < count; ++ordinal) {
        auto made = std::make_unique<device_state>();
        made->ordinal = static_cast<int>(ordinal);
        made->graph_space.reserve(0x302000000 + (ordinal << 40));
        made->heap.reserve();
        made->physical.set_capacity(all.total_memory - std::min(h200_overhead, all.total_memory / 8));
        all.devices.push_back(std::move(made));
    }
    return !all.devices.empty();
}

}  // namespace

driver_state& state() {
    static driver_state& only = *new driver_state;
    return only;
}

std::vector<context*>& context_stack() {
    thread_local std::vector<context*> stack;
    return stack;
}

context* current_context() {
    const std::vector<context*>& stack = context_stack();
    return stack.empty() ? nullptr : find_context(handle_of<CUcontext>(stack.back()));
}

std::uint64_t thread_number() {
    static std::uint64_t next = 0;
    thread_local const std::uint64_t mine = ++next;  // every caller holds the lock
    return mine;
}

std::string_view base_name(std::string_view function) {
    for (const std::string_view suffix : {"_ptsz", "_ptds"})
        if (function.ends_with(suffix))
            function.remove_suffix(suffix.size());
    for (const std::string_view suffix : {"_v2", "_v3", "_v4"})
        if (function.ends_with(suffix))
            function.remove_suffix(suffix.size());
    return function;
}

namespace {
thread_local int callbacks = 0;
}
callback_scope::callback_scope() { ++callbacks; }
callback_scope::~callback_scope() { --callbacks; }
void callback_scope::reset() { callbacks = 0; }

entry::entry(std::string_view function, needs what) : lock_(state().mutex) {
    driver_state& all = state();
    result = count_call(base_name(function));
    if (result != CUDA_SUCCESS || what == needs::nothing)
        return;
    if (callbacks != 0)
        result = CUDA_ERROR_NOT_PERMITTED;  // [C14]
    else if (!all.initialised)
        result = CUDA_ERROR_NOT_INITIALIZED;
    else if (what == needs::context && current_context() == nullptr)
        result = CUDA_ERROR_INVALID_CONTEXT;
}

void report(std::string text) {
    std::list<std::string>& all = state().reports;
    if (std::find(all.begin(), all.end(), text) == all.end())
        all.push_back(std::move(text));
}

graph* find_graph(CUgraph handle) {
    auto* found = reinterpret_cast<graph*>(handle);
    return state().graphs.contains(found) ? found : nullptr;
}
node* find_node(CUgraphNode handle) {
    auto* found = reinterpret_cast<node*>(handle);
    return state().nodes.contains(found) ? found : nullptr;
}
executable* find_executable(CUgraphExec handle) {
    auto* found = reinterpret_cast<executable*>(handle);
    return state().executables.contains(found) ? found : nullptr;
}
event* find_event(CUevent handle) {
    auto* found = reinterpret_cast<event*>(handle);
    return state().events.contains(found) ? found : nullptr;
}
context* find_context(CUcontext handle) {
    auto* found = reinterpret_cast<context*>(handle);
    if (state().contexts.contains(found))
        return found;
    for (const auto& device : state().devices)
        if (device->primary.get() == found)
            return found;
    return nullptr;
}
function* find_function(CUfunction handle) {
    auto* found = reinterpret_cast<function*>(handle);
    return state().functions.contains(found) ? found : nullptr;
}
device_state* find_device(int ordinal) {
    const auto& all = state().devices;
    return ordinal >= 0 && static_cast<std::size_t>(ordinal) < all.size() ? all[static_cast<std::size_t>(ordinal)].get()
                                                                          : nullptr;
}

stream* find_stream(CUstream handle) {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number > 2) {
        auto* found = reinterpret_cast<stream*>(handle);
        return state().streams.contains(found) ? found : nullptr;
    }
    context* here = current_context();
    if (here == nullptr)
        return nullptr;
    // 0 and 1 are the legacy stream of the context, 2 is the calling thread's own.
    std::unique_ptr<stream>& slot = state().default_streams[{here, number == 2 ? thread_number() : 0}];
    if (slot == nullptr) {
        slot = std::make_unique<stream>();
        slot->ctx = here;
        slot->id = state().next_id++;
    }
    return slot.get();
}

void make_live(const std::shared_ptr<allocation>& memory) {
    if (memory->live)
        return;
    device_state& device = *find_device(memory->device);
    memory->live = true;
    device.physical.add_live(memory->address, memory->bytes);
    device.graph_space.pages.open(memory->address, memory->bytes);
    state().live.insert(memory);
}

void release_allocation(const std::shared_ptr<allocation>& memory) {
    if (!memory->live)
        return;
    device_state& device = *find_device(memory->device);
    memory->live = false;
    device.physical.remove_live(memory->address, memory->bytes);
    device.graph_space.pages.close(memory->address, memory->bytes);
    state().live.erase(std::shared_ptr<allocation>(memory));
}

std::shared_ptr<allocation> find_live(std::uint64_t address) {
    return find_allocation(address, [address](const allocation& each) { return each.live && each.address == address; });
}

bool is_device_address(std::uint64_t address) {
    for (const auto& device : state().devices)
        if (device->graph_space.contains(address) || device->heap.contains(address))
            return true;
    return false;
}

bool device_range_accessible(std::uint64_t address, std::uint64_t bytes, const context* from) {
    if (bytes == 0)
        return true;
    for (const auto& device : state().devices) {
        if (device->heap.contains(address)) {
            const auto found = device->heap.find(address);
            return found != device->heap.blocks().end() && bytes <= found->first + found->second.bytes - address;
        }
    }
    const auto found = find_allocation(address, [&](const allocation& each) {
        if (!each.live || bytes > each.address + each.bytes - address)
            return false;
        return from == nullptr || from->device == each.device ||
               std::find(each.peers.begin(), each.peers.end(), from->device) != each.peers.end();
    });
    return found != nullptr;
}

}  // namespace allograph_reference

using namespace allograph_reference;

extern "C" {

CUresult cuInit(unsigned int flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuInit, nothing);
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (state().initialised)
        return CUDA_SUCCESS;
    if (!make_devices(state()))
        return CUDA_ERROR_NO_DEVICE;
    state().initialised = true;
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
    ALLOGRAPH_REFERENCE_ENTER(cuDriverGetVersion, nothing);
    if (version == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    *version = 13000;
    return CUDA_SUCCESS;
}

}  // extern "C"
