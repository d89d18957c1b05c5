#pragma once

#include <atomic>

namespace allograph_audit {

/// The C library's dlsym. Usable from the first instruction of the process on: it allocates nothing.
using dlsym_function = void* (*)(void* handle, const char* name) noexcept;
dlsym_function real_dlsym() noexcept;

/// Whether an address lies in this library.
bool is_ours(void* address) noexcept;

/// A function of the driver by its exported name, from the libcuda.so.1 whose functions the process asked for first.
/// Nothing is loaded for it. @return null where the process has no driver, or the driver no such function
void* driver_function(const char* name) noexcept;

/// A driver's function that this library stands in front of.
class real_function {
public:
    constexpr explicit real_function(const char* name) noexcept : name_(name) {}

    [[nodiscard]] const char* name() const noexcept { return name_; }

    /// Searches the process for it, the first time. @return null where no driver is loaded
    void* find() noexcept;

    /// Takes note of the function that the process found. @return whether it is the one that calls will be passed on to: a
    /// second driver in the process is left alone
    bool adopt(void* function) noexcept;

private:
    const char* name_;
    std::atomic<void*> function_ = nullptr;
};

}  // namespace allograph_audit
