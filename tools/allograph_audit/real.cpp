#include "real.hpp"

#include <dlfcn.h>

namespace allograph_audit {
namespace {

// dlsym is interposed here, dlvsym is not: it finds the first version that each C library has of the other.
#if defined(__x86_64__)
constexpr const char* first_version = "GLIBC_2.2.5";
#elif defined(__aarch64__)
constexpr const char* first_version = "GLIBC_2.17";
#else
#error "the first version of dlsym in this C library is not known here"
#endif

std::atomic<void*> any_driver_address = nullptr;

void* base_of(void* address) noexcept {
    Dl_info info{};
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

}  // namespace

dlsym_function real_dlsym() noexcept {
    static constinit std::atomic<void*> found = nullptr;
    void* function = found.load(std::memory_order_acquire);
    if (function == nullptr) {
        function = dlvsym(RTLD_NEXT, "dlsym", first_version);
        found.store(function, std::memory_order_release);
    }
    return reinterpret_cast<dlsym_function>(function);
}

bool is_ours(void* address) noexcept { return base_of(address) == base_of(reinterpret_cast<void*>(&real_dlsym)); }

void* driver_function(const char* name) noexcept {
    // The reference that this takes keeps the driver loaded, as the addresses kept here need it.
    static constinit std::atomic<void*> driver = nullptr;
    void* handle = driver.load(std::memory_order_acquire);
    if (handle == nullptr) {
        Dl_info info{};
        void* known = any_driver_address.load(std::memory_order_acquire);
        if (known != nullptr && dladdr(known, &info) != 0) {
            handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        }
        if (handle == nullptr) {
            handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        }
        if (handle == nullptr) {
            return nullptr;
        }
        driver.store(handle, std::memory_order_release);
    }
    return real_dlsym()(handle, name);
}

void* real_function::find() noexcept {
    if (void* known = function_.load(std::memory_order_acquire)) {
        return known;
    }
    void* found = real_dlsym()(RTLD_NEXT, name_);  // behind this library, in what the process searches
    if (found == nullptr) {
        found = driver_function(name_);  // the driver was loaded for one library alone
    }
    if (found != nullptr && adopt(found)) {
        return function_.load(std::memory_order_acquire);
    }
    return found;
}

bool real_function::adopt(void* function) noexcept {
    if (is_ours(function)) {  // the driver's references to its own functions can be interposed, and were
        return find() != nullptr;
    }
    void* known = nullptr;
    if (function_.compare_exchange_strong(known, function, std::memory_order_acq_rel)) {
        any_driver_address.store(function, std::memory_order_release);
        return true;
    }
    return known == function || base_of(known) == base_of(function);
}

}  // namespace allograph_audit
