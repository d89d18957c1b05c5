#pragma once

#include <allograph/graph/detail/memory_guard.hpp>

namespace allograph {
inline namespace v0 {

/// Gives memory that no graph uses back to the device when it dies (rule M5). Work that still runs keeps its memory: wait
/// for it first.
class [[nodiscard("it trims when it dies")]] scoped_trim {
public:
    /// @throws misuse [A6]; driver_error
    explicit scoped_trim(device of, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
        : handle_(detail::info_of(of, {file, line}).handle) {}
    scoped_trim(const scoped_trim&) = delete;
    scoped_trim& operator=(const scoped_trim&) = delete;
    /// Trims; a failure is not reported. Driver: cuDeviceGraphMemTrim
    ~scoped_trim() {
        detail::memory_epoch().add(1);
        cuDeviceGraphMemTrim(handle_);
    }

private:
    CUdevice handle_;
};

}  // namespace v0
}  // namespace allograph
