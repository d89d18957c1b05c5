#pragma once

#include <allograph/graph/detail/memory_guard.hpp>

namespace allograph {
inline namespace v0 {

/// The physical memory of a device's graphs, all of the process together. Sizes in bytes.
///
/// It is taken at the first launch or upload and kept for the next ones until `trim` (rules M1, M5).
class graph_memory {
public:
    /// @throws misuse [A6]; driver_error
    explicit graph_memory(device of, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
        : handle_(detail::info_of(of, {file, line}).handle) {}

    /// In use by launched graphs and their live outputs. Driver: cuDeviceGetGraphMemAttribute, as for the next three
    [[nodiscard]] std::uint64_t used() const { return get(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT); }
    /// The most that was ever in use since the last reset.
    [[nodiscard]] std::uint64_t used_high() const { return get(CU_GRAPH_MEM_ATTR_USED_MEM_HIGH); }
    /// Held from the device, in use or not.
    [[nodiscard]] std::uint64_t reserved() const { return get(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT); }
    /// The most that was ever held since the last reset.
    [[nodiscard]] std::uint64_t reserved_high() const { return get(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH); }

    /// Lets both high marks start again from now. Driver: cuDeviceSetGraphMemAttribute
    void reset_highs() const {
        driver::device_reset_graph_mem_attribute(handle_, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, {});
        driver::device_reset_graph_mem_attribute(handle_, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, {});
    }

    /// Gives memory that no graph uses back to the device. Driver: cuDeviceGraphMemTrim
    void trim() const {
        detail::memory_epoch().add(1);  // what was mapped may be gone: the next launches look again
        driver::device_graph_mem_trim(handle_, {});
    }

private:
    [[nodiscard]] std::uint64_t get(CUgraphMem_attribute attribute) const {
        return driver::device_get_graph_mem_attribute(handle_, attribute, {});
    }
    CUdevice handle_;
};

}  // namespace v0
}  // namespace allograph
