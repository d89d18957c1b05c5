// A program with graphs, for allograph-audit's tests, built once for each way to the driver: its functions linked (WAY 1),
// found by dlsym (2), or all found by cuGetProcAddress (3).
//
// usage: program WHAT [INSTANTIATE]     it prints every answer; INSTANTIATE is a name of the driver API
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

struct driver {
#define FUNCTION(name) decltype(&::name) name = nullptr;
#include "program_functions.inc"
#undef FUNCTION
} cu;

template <class Function>
void assign(Function& function, void* address) {
    std::memcpy(&function, &address, sizeof function);
}

void find_functions() {
#if WAY == 1
#define FUNCTION(name) cu.name = &::name;
#include "program_functions.inc"
#undef FUNCTION
#else
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::puts("no driver");
        std::exit(1);
    }
#if WAY == 2
#define FUNCTION(name) assign(cu.name, dlsym(library, #name));
#include "program_functions.inc"
#undef FUNCTION
#else
    decltype(&::cuGetProcAddress_v2) first = nullptr;
    decltype(&::cuGetProcAddress_v2) get = nullptr;
    assign(first, dlsym(library, "cuGetProcAddress_v2"));
    void* address = nullptr;
    first("cuGetProcAddress", &address, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, nullptr);
    assign(get, address);
    // Its names have no suffix: the version and the kind of default stream say which is meant.
    const auto find = [&](std::string name) {
        int version = 13000;
        cuuint64_t flags = CU_GET_PROC_ADDRESS_LEGACY_STREAM;
        if (name == "cuGraphInstantiate") {
            version = 10000;
        } else if (name == "cuGraphAddNode") {
            version = 12020;
        } else if (name.ends_with("_ptsz")) {
            flags = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
            name.resize(name.size() - 5);
        } else if (name.ends_with("_v2")) {
            name.resize(name.size() - 3);
        }
        address = nullptr;
        CUdriverProcAddressQueryResult status{};
        get(name.c_str(), &address, version, flags, &status);
        return address;
    };
#define FUNCTION(name) assign(cu.name, find(#name));
#include "program_functions.inc"
#undef FUNCTION
#endif
#endif
}

struct memory_graph {
    CUgraph handle = nullptr;
    CUdeviceptr address = 0;
};

/// An allocation of 1 MiB, a memset of it, and its free: before the memset may have ended, or not at all.
memory_graph make(bool free_too_early, bool freed = true) {
    memory_graph made;
    cu.cuGraphCreate(&made.handle, 0);
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    params.bytesize = 1 << 20;
    CUgraphNode alloc = nullptr, set = nullptr, free = nullptr;
    cu.cuGraphAddMemAllocNode(&alloc, made.handle, nullptr, 0, &params);
    made.address = params.dptr;
    CUDA_MEMSET_NODE_PARAMS fill{};
    fill.dst = params.dptr;
    fill.elementSize = 1;
    fill.width = 1 << 20;
    fill.height = 1;
    CUcontext context = nullptr;
    cu.cuCtxGetCurrent(&context);
    cu.cuGraphAddMemsetNode(&set, made.handle, &alloc, 1, &fill, context);
    if (freed) {
        cu.cuGraphAddMemFreeNode(&free, made.handle, free_too_early ? &alloc : &set, 1, params.dptr);
    }
    return made;
}

CUresult instantiate(const std::string& how, CUgraph graph, CUgraphExec* exec) {
    if (how == "cuGraphInstantiate") {
        return cu.cuGraphInstantiate(exec, graph, nullptr, nullptr, 0);
    }
    if (how == "cuGraphInstantiate_v2") {
        return cu.cuGraphInstantiate_v2(exec, graph, nullptr, nullptr, 0);
    }
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    if (how == "cuGraphInstantiateWithParams") {
        return cu.cuGraphInstantiateWithParams(exec, graph, &params);
    }
    if (how == "cuGraphInstantiateWithParams_ptsz") {
        return cu.cuGraphInstantiateWithParams_ptsz(exec, graph, &params);
    }
    return cu.cuGraphInstantiateWithFlags(exec, graph, 0);
}

void run(const std::string& how, CUgraph graph, int launches = 1) {
    CUgraphExec exec = nullptr;
    errno = 77;
    const CUresult made = instantiate(how, graph, &exec);
    std::printf("instantiate %d, errno %d\n", made, errno);
    for (int i = 0; made == CUDA_SUCCESS && i < launches; ++i) {
        errno = 78;
        const CUresult launched = i % 2 == 0 ? cu.cuGraphLaunch(exec, nullptr) : cu.cuGraphLaunch_ptsz(exec, nullptr);
        std::printf("launch %d, errno %d\n", launched, errno);
    }
    std::printf("synchronize %d\n", cu.cuStreamSynchronize(nullptr));
    if (exec != nullptr) {
        cu.cuGraphExecDestroy(exec);
    }
}

/// Two nodes, one of which is a child graph of three.
CUgraph make_parent() {
    CUgraph parent = nullptr, child = nullptr;
    CUgraphNode node = nullptr;
    cu.cuGraphCreate(&child, 0);
    for (int i = 0; i < 3; ++i) {
        cu.cuGraphAddEmptyNode(&node, child, nullptr, 0);
    }
    cu.cuGraphCreate(&parent, 0);
    cu.cuGraphAddEmptyNode(&node, parent, nullptr, 0);
    cu.cuGraphAddChildGraphNode(&node, parent, nullptr, 0, child);
    return parent;
}

CUgraph make_conditional(bool newer) {
    CUgraph graph = nullptr;
    cu.cuGraphCreate(&graph, 0);
    CUcontext context = nullptr;
    cu.cuCtxGetCurrent(&context);
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    cu.cuGraphConditionalHandleCreate(&params.conditional.handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    params.conditional.type = CU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 1;
    params.conditional.ctx = context;
    CUgraphNode node = nullptr, alloc = nullptr, free = nullptr;
    const CUresult added = newer ? cu.cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &params)
                                 : cu.cuGraphAddNode(&node, graph, nullptr, 0, &params);
    std::printf("conditional %d\n", added);
    CUDA_MEM_ALLOC_NODE_PARAMS memory{};
    memory.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    memory.poolProps.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
    memory.bytesize = 1 << 20;
    const CUgraph body = params.conditional.phGraph_out[0];
    cu.cuGraphAddMemAllocNode(&alloc, body, nullptr, 0, &memory);
    cu.cuGraphAddMemFreeNode(&free, body, &alloc, 1, memory.dptr);
    return graph;
}

void in_threads(const std::string& how) {
    CUcontext context = nullptr;
    cu.cuCtxGetCurrent(&context);
    std::vector<std::thread> threads;
    std::vector<int> failures(4);
    for (std::size_t t = 0; t < failures.size(); ++t) {
        threads.emplace_back([&, t] {
            cu.cuCtxSetCurrent(context);
            for (int i = 0; i < 25; ++i) {
                const memory_graph one = make(true);
                CUgraphExec exec = nullptr;
                failures[t] += instantiate(how, one.handle, &exec) != CUDA_SUCCESS;
                cu.cuGraphExecDestroy(exec);
                cu.cuGraphDestroy(one.handle);
            }
        });
    }
    for (std::thread& each : threads) {
        each.join();
    }
    for (const int each : failures) {
        std::printf("failures %d\n", each);
    }
}

}  // namespace

int main(int count, char** arguments) {
    const std::string what = count > 1 ? arguments[1] : "clean", how = count > 2 ? arguments[2] : "";
    find_functions();
    CUdevice device = 0;
    CUcontext context = nullptr;
    std::printf("init %d\n", cu.cuInit(0));
    cu.cuDeviceGet(&device, 0);
    cu.cuDevicePrimaryCtxRetain(&context, device);
    cu.cuCtxSetCurrent(context);
    if (what == "clean" || what == "too_early") {
        run(how, make(what == "too_early").handle, 3);
    } else if (what == "no_fate") {
        run(how, make(false, false).handle, 3);
    } else if (what == "body" || what == "body_v2") {
        run(how, make_conditional(what == "body_v2"));
    } else if (what == "child") {
        run(how, make_parent());
    } else if (what == "no_graph") {
        run(how, nullptr);
    } else if (what == "many") {
        const memory_graph one = make(false);
        for (int i = 0; i < 5; ++i) {
            run(how, one.handle);
        }
    } else if (what == "threads") {
        in_threads(how);
    } else if (what == "fork") {
        run(how, make(true).handle);
        std::fflush(stdout);
        if (const pid_t child = fork(); child == 0) {
            _exit(7);
        } else {
            int status = 0;
            waitpid(child, &status, 0);
            std::printf("child %d\n", WEXITSTATUS(status));
        }
    } else if (what == "status") {
        run(how, make(true).handle);
        std::fflush(stdout);
        return 3;
    } else if (what == "killed") {
        run(how, make(true).handle);
        std::fflush(stdout);
        std::raise(SIGTERM);
    }
    return 0;
}
