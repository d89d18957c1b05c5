#pragma once

#include <allograph/driver/device_calls.hpp>
#include <allograph/graph/detail/atomic_word.hpp>
#include <allograph/model/device.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// What the library asks of a device, once a process.
struct device_info {
    CUdevice handle = 0;
    std::size_t total_bytes = 0;
    bool memory_pools = false;
};

struct device_table {
    static constexpr int most = 64;
    int count = 0;
    device_info infos[most];

    explicit device_table(source_line where) {
        driver::init(where);
        count = driver::device_get_count(where);
        count = count < most ? count : most;
        for (int i = 0; i < count; ++i) {
            infos[i].handle = driver::device_get(i, where);
            infos[i].total_bytes = driver::device_total_mem(infos[i].handle, where);
            infos[i].memory_pools =
                driver::device_get_attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, infos[i].handle, where) != 0;
        }
    }
};

/// Starts the driver at the first call. @throws driver_error where there is no driver or no device
inline const device_table& devices(source_line where) {
    static const device_table table(where);
    return table;
}

/// @throws misuse [A6] for a device that does not exist
inline const device_info& info_of(device which, source_line where) {
    const device_table& table = devices(where);
    if (which.ordinal < 0 || which.ordinal >= table.count) [[unlikely]] {
        throw misuse("A6", "device " + std::to_string(which.ordinal) + " does not exist: this machine has " +
                               std::to_string(table.count) +
                               (where.known() ? "\n  at         " + line_text(where) : std::string()));
    }
    return table.infos[which.ordinal];
}

[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_alloc(std::size_t bytes, const device_info& info, source_line where) {
    if (!info.memory_pools) {
        broken_rule("A11", "this device has no memory pools, which allocation nodes need", where);
    }
    throw misuse("A3", "an allocation of " + std::to_string(bytes) + " bytes on a device of " + std::to_string(info.total_bytes) +
                           " bytes\n  at         " + line_text(where));
}

/// Retained once a process and never released, as the CUDA runtime does: memory that outlives a graph needs it.
inline CUcontext primary_context(int ordinal, CUdevice handle, source_line where) {
    struct slot {
        atomic_word<CUcontext> context{nullptr};
    };
    static slot slots[device_table::most];
    CUcontext context = slots[ordinal].context.load();
    if (context == nullptr) {
        context = driver::device_primary_ctx_retain(handle, where);  // two threads at once: one retain more, same context
        slots[ordinal].context.store(context);
    }
    return context;
}

/// The context in which a graph's nodes on `which` run: the current one if it is of that device, else the device's
/// primary context, which is made current where the thread has none.
inline CUcontext context_for(device which, source_line where) {
    const device_info& info = info_of(which, where);
    const CUcontext current = driver::ctx_get_current(where);
    if (current != nullptr && driver::ctx_get_device(where) == info.handle) {
        return current;
    }
    const CUcontext primary = primary_context(which.ordinal, info.handle, where);
    if (current == nullptr) {
        driver::ctx_set_current(primary, where);
    }
    return primary;
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
