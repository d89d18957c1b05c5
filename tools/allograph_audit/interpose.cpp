// What the process meets instead of the driver's functions that make and launch executables. Programs reach them linked,
// through dlsym (here too), or through cuGetProcAddress (here too); each function passes on what it was given, and the answer.
#define __CUDA_API_VERSION_INTERNAL  // every version of a function under its own name
#include <cuda.h>
#include <dlfcn.h>

#include <cstring>
#include <iterator>

#include "real.hpp"
#include "watch.hpp"

using namespace allograph_audit;

namespace {

// --- the table -------------------------------------------------------------------------------------------------------

enum class slot : std::size_t {
    instantiate,
    instantiate_v2,
    with_flags,
    with_params,
    with_params_ptsz,
    launch,
    launch_ptsz,
    add_node,
    add_node_v2,
    get_proc_address,
    get_proc_address_v2,
};

real_function& of(slot which);

template <class Function, class... Arguments>
CUresult pass_on(slot which, Arguments... arguments) {
    const auto function = reinterpret_cast<Function>(of(which).find());
    return function == nullptr ? CUDA_ERROR_NOT_INITIALIZED : function(arguments...);
}

// --- making executables: the graph is audited before the call, since a call that fails is when its report is needed -----

CUresult wrapped_instantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log, std::size_t bytes) {
    const instantiation here(graph, 0);
    return here.ended(exec, pass_on<decltype(&cuGraphInstantiate)>(slot::instantiate, exec, graph, node, log, bytes));
}
CUresult wrapped_instantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log, std::size_t bytes) {
    const instantiation here(graph, 0);
    return here.ended(exec, pass_on<decltype(&cuGraphInstantiate_v2)>(slot::instantiate_v2, exec, graph, node, log, bytes));
}
CUresult wrapped_with_flags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
    const instantiation here(graph, flags);
    return here.ended(exec, pass_on<decltype(&cuGraphInstantiateWithFlags)>(slot::with_flags, exec, graph, flags));
}
CUresult with_params(slot which, CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    const instantiation here(graph, params == nullptr ? 0 : params->flags);
    return here.ended(exec, pass_on<decltype(&cuGraphInstantiateWithParams)>(which, exec, graph, params));
}
CUresult wrapped_with_params(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    return with_params(slot::with_params, exec, graph, params);
}
CUresult wrapped_with_params_ptsz(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    return with_params(slot::with_params_ptsz, exec, graph, params);
}

// --- launching -------------------------------------------------------------------------------------------------------

CUresult wrapped_launch(CUgraphExec exec, CUstream stream) {
    return launched(exec, pass_on<decltype(&cuGraphLaunch)>(slot::launch, exec, stream));
}
CUresult wrapped_launch_ptsz(CUgraphExec exec, CUstream stream) {
    return launched(exec, pass_on<decltype(&cuGraphLaunch)>(slot::launch_ptsz, exec, stream));
}

// --- adding conditional nodes -----------------------------------------------------------------------------------------

CUresult added(const CUgraphNode* node, const CUgraphNodeParams* params, CUresult answer) {
    if (answer == CUDA_SUCCESS && on() && node != nullptr && params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
        conditional_added(*node, params->conditional.phGraph_out, params->conditional.size);
    }
    return answer;
}
CUresult wrapped_add_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                          CUgraphNodeParams* params) {
    return added(node, params, pass_on<decltype(&cuGraphAddNode)>(slot::add_node, node, graph, dependencies, count, params));
}
CUresult wrapped_add_node_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, const CUgraphEdgeData* data,
                             std::size_t count, CUgraphNodeParams* params) {
    return added(node, params,
                 pass_on<decltype(&cuGraphAddNode_v2)>(slot::add_node_v2, node, graph, dependencies, data, count, params));
}

// --- finding functions -----------------------------------------------------------------------------------------------

void replace(const char* name, void** function, int version, cuuint64_t flags);

CUresult wrapped_get_proc_address(const char* name, void** function, int version, cuuint64_t flags) {
    const CUresult result = pass_on<decltype(&cuGetProcAddress)>(slot::get_proc_address, name, function, version, flags);
    if (result == CUDA_SUCCESS) {
        replace(name, function, version, flags);
    }
    return result;
}
CUresult wrapped_get_proc_address_v2(const char* name, void** function, int version, cuuint64_t flags,
                                     CUdriverProcAddressQueryResult* status) {
    const CUresult result =
        pass_on<decltype(&cuGetProcAddress_v2)>(slot::get_proc_address_v2, name, function, version, flags, status);
    if (result == CUDA_SUCCESS) {
        replace(name, function, version, flags);
    }
    return result;
}

template <class Function>
void* address(Function* function) {
    return reinterpret_cast<void*>(function);
}

constinit real_function functions[] = {
    // in the order of `slot`
    real_function("cuGraphInstantiate"),
    real_function("cuGraphInstantiate_v2"),
    real_function("cuGraphInstantiateWithFlags"),
    real_function("cuGraphInstantiateWithParams"),
    real_function("cuGraphInstantiateWithParams_ptsz"),
    real_function("cuGraphLaunch"),
    real_function("cuGraphLaunch_ptsz"),
    real_function("cuGraphAddNode"),
    real_function("cuGraphAddNode_v2"),
    real_function("cuGetProcAddress"),
    real_function("cuGetProcAddress_v2"),
};

real_function& of(slot which) { return functions[static_cast<std::size_t>(which)]; }

void* wrapper(slot which) {
    switch (which) {
    case slot::instantiate:
        return address(&wrapped_instantiate);
    case slot::instantiate_v2:
        return address(&wrapped_instantiate_v2);
    case slot::with_flags:
        return address(&wrapped_with_flags);
    case slot::with_params:
        return address(&wrapped_with_params);
    case slot::with_params_ptsz:
        return address(&wrapped_with_params_ptsz);
    case slot::launch:
        return address(&wrapped_launch);
    case slot::launch_ptsz:
        return address(&wrapped_launch_ptsz);
    case slot::add_node:
        return address(&wrapped_add_node);
    case slot::add_node_v2:
        return address(&wrapped_add_node_v2);
    case slot::get_proc_address:
        return address(&wrapped_get_proc_address);
    case slot::get_proc_address_v2:
        return address(&wrapped_get_proc_address_v2);
    }
    return nullptr;
}

/// The slot of an exported name. @return whether there is one
bool find_slot(const char* name, slot& which) {
    for (std::size_t i = 0; i < std::size(functions); ++i) {
        if (std::strcmp(functions[i].name(), name) == 0) {
            which = static_cast<slot>(i);
            return true;
        }
    }
    return false;
}

/// Puts the wrapper in the place of a driver's function that cuGetProcAddress found. Its names carry no suffix: the version
/// that the program was built for, and the kind of default stream, choose the function.
void replace(const char* name, void** function, int version, cuuint64_t flags) {
    slot which{};
    if (name == nullptr || function == nullptr || *function == nullptr || !find_slot(name, which) || !on()) {
        return;
    }
    const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
    if (which == slot::instantiate && version >= 11000) {
        which = slot::instantiate_v2;
    } else if (which == slot::get_proc_address && version >= 12000) {
        which = slot::get_proc_address_v2;
    } else if (which == slot::with_params && per_thread) {
        which = slot::with_params_ptsz;
    } else if (which == slot::launch && per_thread) {
        which = slot::launch_ptsz;
    } else if (which == slot::add_node && version >= 12030) {
        which = slot::add_node_v2;
    }
    if (of(which).adopt(*function)) {
        *function = wrapper(which);
    }
}

struct reply {
    bool given;  ///< else the C library answers
    void* value;
};

/// What dlsym answers for a name of ours.
[[gnu::noinline]] reply answer(void* handle, const char* name) {
    slot which{};
    if (name == nullptr || name[0] != 'c' || name[1] != 'u' || !find_slot(name, which)) {
        return {false, nullptr};
    }
    void* found = nullptr;
    if (handle != RTLD_DEFAULT && handle != RTLD_NEXT) {
        found = real_dlsym()(handle, name);
        if (found == nullptr) {
            return {true, nullptr};
        }
    }
    if (found == nullptr || is_ours(found)) {  // a search of the whole process meets our own export first
        found = of(which).find();
        if (found == nullptr) {
            return {true, real_dlsym()(RTLD_NEXT, name)};  // behind us, where it is not: dlerror says so
        }
    }
    return {true, on() && of(which).adopt(found) ? wrapper(which) : found};
}

}  // namespace

// --- what is exported ------------------------------------------------------------------------------------------------

#define ALLOGRAPH_EXPORT extern "C" __attribute__((visibility("default")))

// The C library tells by the return address which object asks (RTLD_NEXT, RTLD_DEFAULT), so its function is jumped to and not
// called: nothing here may need this frame afterwards. Tested with a library that asks for RTLD_NEXT.
ALLOGRAPH_EXPORT void* dlsym(void* handle, const char* name) noexcept {
    const reply ours = answer(handle, name);
    if (ours.given) {
        return ours.value;
    }
    return real_dlsym()(handle, name);
}

ALLOGRAPH_EXPORT CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log, std::size_t bytes) {
    return wrapped_instantiate(exec, graph, node, log, bytes);
}
ALLOGRAPH_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode* node, char* log,
                                                std::size_t bytes) {
    return wrapped_instantiate_v2(exec, graph, node, log, bytes);
}
ALLOGRAPH_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
    return wrapped_with_flags(exec, graph, flags);
}
ALLOGRAPH_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    return wrapped_with_params(exec, graph, params);
}
ALLOGRAPH_EXPORT CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec* exec, CUgraph graph,
                                                            CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
    return wrapped_with_params_ptsz(exec, graph, params);
}
ALLOGRAPH_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) { return wrapped_launch(exec, stream); }
ALLOGRAPH_EXPORT CUresult cuGraphLaunch_ptsz(CUgraphExec exec, CUstream stream) { return wrapped_launch_ptsz(exec, stream); }
ALLOGRAPH_EXPORT CUresult cuGraphAddNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                                         CUgraphNodeParams* params) {
    return wrapped_add_node(node, graph, dependencies, count, params);
}
ALLOGRAPH_EXPORT CUresult cuGraphAddNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                                            const CUgraphEdgeData* data, std::size_t count, CUgraphNodeParams* params) {
    return wrapped_add_node_v2(node, graph, dependencies, data, count, params);
}
ALLOGRAPH_EXPORT CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
    return wrapped_get_proc_address(name, function, version, flags);
}
ALLOGRAPH_EXPORT CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                                              CUdriverProcAddressQueryResult* status) {
    return wrapped_get_proc_address_v2(name, function, version, flags, status);
}
