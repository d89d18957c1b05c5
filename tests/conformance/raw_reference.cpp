// What only the reference driver can do: counts, failures on demand, strict mode. Skipped on a real driver.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "raw.hpp"

#ifdef RAW_HAS_REFERENCE_HEADER

using namespace raw;

namespace {

void need_reference() {
    here();
    if (!allograph_reference_active())
        SKIP("a real driver");
    allograph_reference_clear_failures();
    allograph_reference_clear_reports();
}

/// Strict mode while it lives.
struct strict {
    strict() { allograph_reference_set_strict(true); }
    ~strict() {
        allograph_reference_set_strict(false);
        allograph_reference_clear_reports();
    }
    strict(const strict&) = delete;
    strict& operator=(const strict&) = delete;
};

std::string reports() {
    std::string all;
    for (std::size_t index = 0; index < allograph_reference_report_count(); ++index)
        all += std::string(allograph_reference_report(index)) + '\n';
    return all;
}

bool reported(const char* rule) { return reports().find(rule) != std::string::npos; }

CUgraphConditionalHandle loop_handle = 0;

void countdown(const allograph_reference_launch*, void** params) {
    int* left = nullptr;
    std::memcpy(&left, params[0], sizeof left);
    allograph_reference_set_conditional(loop_handle, static_cast<unsigned>(--*left));
}

}  // namespace

TEST_CASE("the n-th call fails as told, once", "[raw][reference]") {
    need_reference();
    CHECK(allograph_reference_fail("cuGraphAddMemAllocNode", 2, CUDA_ERROR_LAUNCH_FAILED));
    graph g;
    CHECK(add_alloc(g, 64).result == ok);
    CHECK(add_alloc(g, 64).result == CUDA_ERROR_LAUNCH_FAILED);
    CHECK(add_alloc(g, 64).result == ok);
    std::size_t count = 0;
    REQUIRE(cuGraphGetNodes(g, nullptr, &count) == ok);
    CHECK(count == 2);
    // A name without version means every version.
    CHECK(allograph_reference_fail("cuStreamDestroy", 1, CUDA_ERROR_UNKNOWN));
    CUstream s = nullptr;
    REQUIRE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) == ok);
    CHECK(cuStreamDestroy(s) == CUDA_ERROR_UNKNOWN);
    CHECK(cuStreamDestroy(s) == ok);
}

TEST_CASE("calls are counted", "[raw][reference]") {
    need_reference();
    const std::size_t before = allograph_reference_calls("cuGraphCreate");
    graph g;
    graph h;
    CHECK(allograph_reference_calls("cuGraphCreate") == before + 2);
    CHECK(allograph_reference_calls("no such function") == 0);
}

TEST_CASE("what lives is counted", "[raw][reference]") {
    need_reference();
    allograph_reference_counts before{};
    allograph_reference_counts now{};
    REQUIRE(allograph_reference_get_counts(&before));
    {
        graph g;
        const added a = add_alloc(g, 1000);
        executable e(g);
        REQUIRE(allograph_reference_get_counts(&now));
        CHECK(now.graphs == before.graphs + 1);
        CHECK(now.executables == before.executables + 1);
        CHECK(now.allocations == before.allocations);
        REQUIRE(e.launch() == ok);
        REQUIRE(allograph_reference_get_counts(&now));
        CHECK(now.allocations == before.allocations + 1);
        CHECK(now.allocation_bytes == before.allocation_bytes + 1000);
        REQUIRE(cuMemFree(a.address) == ok);
    }
    REQUIRE(allograph_reference_get_counts(&now));
    CHECK(now.graphs == before.graphs);
    CHECK(now.executables == before.executables);
    CHECK(now.allocations == before.allocations);
}

TEST_CASE("strict mode finds what every call accepts", "[raw][reference]") {
    need_reference();
    const strict on;
    graph g;
    const added a = add_alloc(g, 4096);
    SECTION("a good graph") {
        const added k = add_fill(g, a.address, 1, 16, {a.node});
        REQUIRE(add_free(g, a.address, {k.node}).result == ok);
        executable e(g);
        CHECK(e.launch() == ok);
        CHECK(reports().empty());
    }
    SECTION("a user before the allocation") {
        const added k = add_fill(g, a.address, 1, 16);
        REQUIRE(add_free(g, a.address, {a.node, k.node}).result == ok);
        executable e(g);
        CHECK(reported("[O1]"));
        CHECK(e.launch() == ok);
    }
    SECTION("a user after the free") {
        const added f = add_free(g, a.address, {a.node});
        REQUIRE(add_fill(g, a.address, 1, 16, {f.node}).result == ok);
        executable e(g);
        CHECK(reported("[O2]"));
        CHECK(e.launch() == ok);
    }
    SECTION("a free beside a user, and another's memory at the address") {
        REQUIRE(add_fill(g, a.address, 1, 16, {a.node}).result == ok);
        const added f = add_free(g, a.address, {a.node});
        const added b = add_alloc(g, 4096, {f.node});
        REQUIRE(add_free(g, b.address, {b.node}).result == ok);
        executable e(g);
        CHECK(reported("[O3]"));
        CHECK(reported("[X9]"));
        CHECK(e.launch() == ok);
    }
    SECTION("a free that is a root") {
        REQUIRE(add_free(g, a.address).result == ok);
        executable e(g);
        CHECK(reported("[O4]"));
        CHECK(e.launch() == ok);
        CHECK(e.launch() == ok);
    }
    SECTION("two writers in no order") {
        const added one = add_fill(g, a.address, 1, 16, {a.node});
        const added two = add_fill(g, a.address, 2, 16, {a.node});
        REQUIRE(add_free(g, a.address, {one.node, two.node}).result == ok);
        executable e(g);
        CHECK(reported("[O6]"));
        CHECK(e.launch() == ok);
    }
    SECTION("a body's use counts for its conditional node") {
        const conditional when = add_if(g, {a.node});
        REQUIRE(add_fill(when.bodies[0], a.address, 1, 16).result == ok);
        REQUIRE(add_free(g, a.address, {a.node}).result == ok);
        executable e(g);
        CHECK(reported("[O3]"));
    }
}

TEST_CASE("a kernel sets the value of a while node", "[raw][reference]") {
    need_reference();
    constexpr std::size_t sizes[] = {sizeof(int*)};
    REQUIRE(allograph_reference_register_kernel("raw_countdown", countdown, 1, sizes));
    CUfunction function = nullptr;
    REQUIRE(cuModuleGetFunction(&function, here().module, "raw_countdown") == ok);
    graph g;
    const added a = add_alloc(g, 4096);
    const added init = add_fill(g, a.address, 5, 1, {a.node});
    const conditional loop = add_conditional(g, CU_GRAPH_COND_TYPE_WHILE, 1, 1, {init.node});
    REQUIRE(loop.result == ok);
    loop_handle = loop.handle;
    CUdeviceptr p = a.address;
    void* arguments[] = {&p};
    CUDA_KERNEL_NODE_PARAMS params;
    std::memset(&params, 0, sizeof params);
    params.func = function;
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = arguments;
    CUgraphNode k = nullptr;
    REQUIRE(cuGraphAddKernelNode(&k, loop.bodies[0], nullptr, 0, &params) == ok);
    int left = -1;
    const added back = add_memcpy(g, to_host(&left, a.address, sizeof left), {loop.node});
    REQUIRE(add_free(g, a.address, {back.node}).result == ok);
    executable e(g);
    REQUIRE(e.launch() == ok);
    CHECK(left == 0);
    left = -1;
    REQUIRE(e.launch() == ok);
    CHECK(left == 0);
}

TEST_CASE("a seed shuffles what no edge orders", "[raw][reference]") {
    need_reference();
    graph g;
    std::vector<int> order;
    struct step {
        std::vector<int>* order;
        int number;
    };
    std::vector<step> steps;
    for (int number = 0; number < 16; ++number)
        steps.push_back({&order, number});
    for (step& each : steps) {
        const CUDA_HOST_NODE_PARAMS params{[](void* what) {
                                               const auto* mine = static_cast<step*>(what);
                                               mine->order->push_back(mine->number);
                                           },
                                           &each};
        CUgraphNode made = nullptr;
        REQUIRE(cuGraphAddHostNode(&made, g, nullptr, 0, &params) == ok);
    }
    executable e(g);
    REQUIRE(e.launch() == ok);
    const std::vector<int> by_creation = order;
    CHECK(std::vector<int>(by_creation) == [] {
        std::vector<int> numbers;
        for (int number = 0; number < 16; ++number)
            numbers.push_back(number);
        return numbers;
    }());
    order.clear();
    allograph_reference_set_order_seed(7);
    REQUIRE(e.launch() == ok);
    allograph_reference_set_order_seed(0);
    CHECK(order.size() == 16);
    CHECK(order != by_creation);
}

TEST_CASE("a kernel that touches unmapped memory ends in an error that stays", "[raw][reference]") {
    need_reference();
    CUcontext own = nullptr;
    REQUIRE(cuCtxCreate(&own, nullptr, 0, here().device[0]) == ok);
    CUstream s = nullptr;
    REQUIRE(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING) == ok);
    graph never_launched;
    CUdeviceptr p = add_alloc(never_launched, std::size_t{256} << 20).address + (std::size_t{200} << 20);
    int value = 1;
    int count = 16;
    void* arguments[] = {&p, &value, &count};
    CHECK(cuLaunchKernel(here().fill, 1, 1, 1, 32, 1, 1, 0, s, arguments, nullptr) == ok);
    CHECK(cuStreamSynchronize(s) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(cuStreamSynchronize(s) == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(reported("[illegal address]"));
    CHECK(cuCtxDestroy(own) == ok);
    REQUIRE(cuCtxSetCurrent(here().context[0]) == ok);
    CHECK(cuStreamSynchronize(stream()) == ok);
}

TEST_CASE("host functions may not call the driver", "[raw][reference][C14]") {
    need_reference();
    CUresult answer = ok;
    REQUIRE(cuLaunchHostFunc(
                stream(),
                [](void* where) {
                    std::size_t free = 0;
                    std::size_t total = 0;
                    *static_cast<CUresult*>(where) = cuMemGetInfo(&free, &total);
                },
                &answer) == ok);
    REQUIRE(cuStreamSynchronize(stream()) == ok);
    CHECK(answer == CUDA_ERROR_NOT_PERMITTED);
}

TEST_CASE("cuGetProcAddress gives the version that is asked for", "[raw][reference]") {
    need_reference();
    void* found = nullptr;
    CUdriverProcAddressQueryResult status{};
    CHECK(cuGetProcAddress("cuGraphAddMemAllocNode", &found, 12030, CU_GET_PROC_ADDRESS_DEFAULT, &status) == ok);
    CHECK(status == CU_GET_PROC_ADDRESS_SUCCESS);
    CHECK(found != nullptr);
    void* old_one = nullptr;
    void* new_one = nullptr;
    CHECK(cuGetProcAddress("cuStreamGetCaptureInfo", &old_one, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status) == ok);
    CHECK(cuGetProcAddress("cuStreamGetCaptureInfo", &new_one, 12030, CU_GET_PROC_ADDRESS_DEFAULT, &status) == ok);
    CHECK(old_one != new_one);
    CHECK(cuGetProcAddress("cuGraphAddMemAllocNode", &found, 5000, CU_GET_PROC_ADDRESS_DEFAULT, &status) == ok);
    CHECK(status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    CHECK(cuGetProcAddress("cuTexObjectCreate", &found, 13000, CU_GET_PROC_ADDRESS_DEFAULT, &status) == ok);
    CHECK(status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(found == nullptr);
}

TEST_CASE("a process whose devices have no memory pools", "[.][raw_no_pools]") {
    here();
    int supported = 1;
    REQUIRE(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, here().device[0]) == ok);
    CHECK(supported == 0);
    graph g;
    CHECK(add_alloc(g, 4096).result == unsupported);
    CHECK(add_empty(g).result == ok);
    CUdeviceptr p = 0;
    CHECK(cuMemAllocAsync(&p, 4096, stream()) == unsupported);
    REQUIRE(cuMemAlloc(&p, 4096) == ok);
    CHECK(cuMemFree(p) == ok);
}

TEST_CASE("the environment takes the memory pools away", "[raw][reference][A11]") {
    need_reference();
    std::array<char, 4096> path{};
    REQUIRE(readlink("/proc/self/exe", path.data(), path.size() - 1) > 0);
    const std::string command = "ALLOGRAPH_REFERENCE_POOLS=0 '" + std::string(path.data()) + "' '[raw_no_pools]' 2>&1";
    std::FILE* const output = popen(command.c_str(), "r");
    REQUIRE(output != nullptr);
    std::string text;
    std::array<char, 1024> piece{};
    while (std::fgets(piece.data(), piece.size(), output) != nullptr)
        text += piece.data();
    const int status = pclose(output);
    INFO(text);
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

#endif
