// The C interface behind allograph_reference/reference_driver.h.
#include <algorithm>

#include "driver.hpp"

using namespace allograph_reference;

namespace {

using lock = std::lock_guard<std::recursive_mutex>;

bool register_kernel(const char* name, allograph_reference_kernel function, std::size_t count, const std::size_t* sizes) {
    const lock held(state().mutex);
    if (name == nullptr || function == nullptr || (count != 0 && sizes == nullptr))
        return false;
    std::shared_ptr<kernel_code>& code = state().kernels[name];
    if (code == nullptr)
        code = std::make_shared<kernel_code>();
    code->name = name;
    code->function = function;
    code->sizes.assign(sizes, sizes + count);
    code->offsets.clear();
    code->read_only.assign(count, false);
    std::size_t offset = 0;
    for (const std::size_t size : code->sizes) {
        // A parameter is aligned to its size where that is a power of two, else to the largest one that divides it; never
        // beyond 8.
        std::size_t alignment = 1;
        while (alignment < 8 && size % (alignment * 2) == 0)
            alignment *= 2;
        offset = (offset + alignment - 1) / alignment * alignment;
        code->offsets.push_back(offset);
        offset += size;
    }
    return true;
}

bool set_parameter_read_only(const char* name, std::size_t index) {
    const lock held(state().mutex);
    const auto found = name != nullptr ? state().kernels.find(std::string_view(name)) : state().kernels.end();
    if (found == state().kernels.end() || index >= found->second->read_only.size())
        return false;
    found->second->read_only[index] = true;
    return true;
}

bool fail(const char* function, unsigned nth, int result) {
    const lock held(state().mutex);
    if (function == nullptr || nth == 0)
        return false;
    state().failures.push_back(failure{std::string(base_name(function)), nth, static_cast<CUresult>(result)});
    return true;
}

bool clear_failures() {
    const lock held(state().mutex);
    state().failures.clear();
    return true;
}

std::size_t calls(const char* function) {
    const lock held(state().mutex);
    const auto found = state().calls.find(std::string(base_name(function)));
    return found != state().calls.end() ? found->second : 0;
}

bool counts(allograph_reference_counts* to) {
    const lock held(state().mutex);
    if (to == nullptr)
        return false;
    const driver_state& all = state();
    *to = {all.graphs.size(),
           all.executables.size(),
           all.user_objects.size(),
           all.streams.size(),
           all.events.size(),
           all.live.size(),
           0};
    for (const auto& each : all.live)
        to->allocation_bytes += each->bytes;
    for (const auto& device : all.devices) {
        to->allocations += device->heap.blocks().size();
        for (const auto& [address, block] : device->heap.blocks())
            to->allocation_bytes += block.bytes;
    }
    return true;
}

bool set_strict(bool on) {
    const lock held(state().mutex);
    state().strict = on;
    return true;
}

std::size_t report_count() {
    const lock held(state().mutex);
    return state().reports.size();
}

const char* report_text(std::size_t index) {
    const lock held(state().mutex);
    const auto& all = state().reports;
    return index < all.size() ? std::next(all.begin(), static_cast<std::ptrdiff_t>(index))->c_str() : nullptr;
}

bool clear_reports() {
    const lock held(state().mutex);
    state().reports.clear();
    return true;
}

bool set_conditional(unsigned long long handle, unsigned value) {
    const lock held(state().mutex);
    const auto known = state().conditionals.find(handle);
    const auto found = known != state().conditionals.end() ? known->second.lock() : nullptr;
    if (found == nullptr)
        return false;
    found->value = value;
    return true;
}

bool set_order_seed(unsigned long long seed) {
    const lock held(state().mutex);
    state().order_seed = seed;
    return true;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const allograph_reference_table* allograph_reference_entry_points_v1(void);
const allograph_reference_table* allograph_reference_entry_points_v1(void) {
    static const allograph_reference_table table{sizeof(allograph_reference_table),
                                                 register_kernel,
                                                 set_parameter_read_only,
                                                 fail,
                                                 clear_failures,
                                                 calls,
                                                 counts,
                                                 set_strict,
                                                 report_count,
                                                 report_text,
                                                 clear_reports,
                                                 set_conditional,
                                                 set_order_seed};
    return &table;
}
