// The driver's functions that an audit calls, defined here and hidden: each finds the process's driver at its first call. This
// library links no libcuda, and a process without one, or with LD_BIND_NOW, is not stopped by it.
#include <cuda.h>

#include "real.hpp"

namespace {

template <class Function>
Function* driver(Function*, const char* name) {
    return reinterpret_cast<Function*>(allograph_audit::driver_function(name));
}

}  // namespace

#define ALLOGRAPH_FORWARD(name, parameters, ...)                          \
    extern "C" __attribute__((visibility("hidden"))) CUresult name parameters { \
        static const auto function = driver(&name, #name);                \
        return function == nullptr ? CUDA_ERROR_NOT_SUPPORTED : function(__VA_ARGS__); \
    }
