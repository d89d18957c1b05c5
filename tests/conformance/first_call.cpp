// What happens once a process: the first call starts the driver and asks about the devices. Each case runs in a process of
// its own, this program with a hidden test.

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "fixture.hpp"

namespace {

bool without_memory_pools = false;

/// Runs hidden tests of this program; its exit status and what it wrote.
struct outcome {
    int status;
    std::string text;
};
outcome run_alone(const char* tag) {
    std::array<char, 4096> path{};
    REQUIRE(readlink("/proc/self/exe", path.data(), path.size() - 1) > 0);
    FILE* const output = popen(("'" + std::string(path.data()) + "' '" + tag + "' 2>&1").c_str(), "r");
    REQUIRE(output != nullptr);
    std::string text;
    std::array<char, 1024> piece{};
    while (std::fgets(piece.data(), piece.size(), output) != nullptr) {
        text += piece.data();
    }
    const int status = pclose(output);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1, text};
}

}  // namespace

/// Before the driver's own: a device without memory pools where a test asks for one.
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    using function = CUresult (*)(int*, CUdevice_attribute, CUdevice);
    static const auto driver = reinterpret_cast<function>(dlsym(RTLD_NEXT, "cuDeviceGetAttribute"));
    const CUresult result = driver(value, attribute, device);
    if (result == CUDA_SUCCESS && without_memory_pools && attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) {
        *value = 0;
    }
    return result;
}

TEST_CASE("a process whose first call fails can try again", "[.][first_call]") {
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when told to");
    }
    // In the order in which the library makes them, each for the first time in this process.
    for (const char* call : {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute",
                             "cuCtxGetCurrent", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuGraphCreate"}) {
        INFO(call);
        REQUIRE(allograph_reference_fail(call, 1, CUDA_ERROR_NO_DEVICE));
        std::string line;
        const ag::driver_error error = driver_error_of([&] { line = HERE, ag::memory_graph(); });
        CHECK(error.call() == std::string(call));
        CHECK(error.result() == CUDA_ERROR_NO_DEVICE);
        CHECK_THAT(error.what(), ContainsSubstring(line) && ContainsSubstring("CUDA_ERROR_NO_DEVICE"));
        CHECK(live_counts().graphs == 0);
    }
    const ag::memory_graph g;
    CHECK(g.get() != nullptr);
}

TEST_CASE("a device without memory pools has no allocation nodes", "[.][no_pools]") {
    without_memory_pools = true;
    ag::memory_graph g;
    std::string line;
    const ag::misuse mistake = misuse_of([&] { line = HERE, (void)g.add_alloc<int>(1); });
    CHECK(mistake.rule() == std::string("A11"));
    CHECK_THAT(mistake.what(), ContainsSubstring("memory pools") && ContainsSubstring(line));
    ag::unchecked_memory_graph unchecked;
    CHECK(misuse_of([&] { (void)unchecked.add_alloc<int>(1); }).rule() == std::string("A11"));
    CHECK(node_count(g.get()) == 0);
    g.add_empty();
    auto exec = std::move(g).instantiate();
    const ag::stream stream;
    exec.launch(stream);
    stream.synchronize();
}

TEST_CASE("the first call of a process may fail", "[D1]") {
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when told to");
    }
    const outcome alone = run_alone("[first_call]");
    INFO(alone.text);
    CHECK(alone.status == 0);
}

TEST_CASE("allocations need memory pools", "[A11]") {
    const outcome alone = run_alone("[no_pools]");
    INFO(alone.text);
    CHECK(alone.status == 0);
}
