// cuGetProcAddress: the function that a program built for some version of the driver API means by a name.
#include <cstring>

#include "driver.hpp"

using namespace allograph_reference;

namespace {

struct symbol {
    const char* name;
    int since;
    void* function;
    void* per_thread;
};

template <class Function>
void* address_of(Function* function) {
    return reinterpret_cast<void*>(function);
}

// Sorted by name, then by version. Written from <cudaTypedefs.h>.
const std::vector<symbol>& table() {
    static const std::vector<symbol>& symbols = *new std::vector<symbol>{
#include "proc_table.inc"
    };
    return symbols;
}

CUresult look_up(const char* name, void** function, int version, cuuint64_t flags, CUdriverProcAddressQueryResult* status) {
    if (name == nullptr || function == nullptr)
        return CUDA_ERROR_INVALID_VALUE;
    constexpr cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if ((flags & ~known) != 0 || flags == known)
        return CUDA_ERROR_INVALID_VALUE;
    *function = nullptr;
    bool exists = false;
    for (const symbol& each : table()) {
        if (std::strcmp(each.name, name) != 0)
            continue;
        exists = true;
        if (each.since > version)
            continue;
        const bool per_thread = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM && each.per_thread != nullptr;
        *function = per_thread ? each.per_thread : each.function;  // a later row is a later version
    }
    if (status != nullptr)
        *status = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
                  : exists             ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                       : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
    ALLOGRAPH_REFERENCE_ENTER(cuGetProcAddress_v2, nothing);
    const CUresult result = look_up(name, function, version, flags, status);
    // With a place for the status, a name that is not there is an answer and no error.
    return status != nullptr && result == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : result;
}

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
    ALLOGRAPH_REFERENCE_ENTER(cuGetProcAddress, nothing);
    return look_up(name, function, version, flags, nullptr);
}

}  // extern "C"
