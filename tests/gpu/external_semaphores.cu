// Semaphores that Vulkan made, waited for and signalled by nodes. Without the headers of Vulkan, its loader or a device of
// its own for the GPU, the cases say so and are skipped.

#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <allograph/allograph.hpp>

#if __has_include(<vulkan/vulkan_core.h>)
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace ag = allograph;

#define GRAPHS ag::graph, ag::memory_graph, ag::unchecked_graph, ag::unchecked_memory_graph

namespace {

/// A Vulkan device on the GPU of ordinal 0, found by its UUID. Where there is none, `missing` says what lacks.
class vulkan {
public:
    vulkan() { missing = open(); }
    vulkan(const vulkan&) = delete;
    vulkan& operator=(const vulkan&) = delete;
    ~vulkan() {
        if (device_ != nullptr) {
            of_device<PFN_vkDestroyDevice>("vkDestroyDevice")(device_, nullptr);
        }
        if (instance_ != nullptr) {
            of_instance<PFN_vkDestroyInstance>("vkDestroyInstance")(instance_, nullptr);
        }
    }

    VkSemaphore make(VkSemaphoreType type) {
        VkSemaphoreTypeCreateInfo kind{};
        kind.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
        kind.semaphoreType = type;
        VkExportSemaphoreCreateInfo exported{};
        exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
        exported.pNext = &kind;
        exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
        VkSemaphoreCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
        info.pNext = &exported;
        VkSemaphore made = VK_NULL_HANDLE;
        const VkResult result = of_device<PFN_vkCreateSemaphore>("vkCreateSemaphore")(device_, &info, nullptr, &made);
        return result == VK_SUCCESS ? made : VK_NULL_HANDLE;
    }
    void destroy(VkSemaphore semaphore) { of_device<PFN_vkDestroySemaphore>("vkDestroySemaphore")(device_, semaphore, nullptr); }
    /// A file descriptor, or -1.
    int file_of(VkSemaphore semaphore) {
        VkSemaphoreGetFdInfoKHR info{};
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
        info.semaphore = semaphore;
        info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
        int file = -1;
        const VkResult result = of_device<PFN_vkGetSemaphoreFdKHR>("vkGetSemaphoreFdKHR")(device_, &info, &file);
        return result == VK_SUCCESS ? file : -1;
    }
    bool signal(VkSemaphore semaphore, std::uint64_t value) {
        VkSemaphoreSignalInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
        info.semaphore = semaphore;
        info.value = value;
        return of_device<PFN_vkSignalSemaphore>("vkSignalSemaphore")(device_, &info) == VK_SUCCESS;
    }
    /// For at most 5 seconds.
    bool wait(VkSemaphore semaphore, std::uint64_t value) {
        VkSemaphoreWaitInfo info{};
        info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
        info.semaphoreCount = 1;
        info.pSemaphores = &semaphore;
        info.pValues = &value;
        return of_device<PFN_vkWaitSemaphores>("vkWaitSemaphores")(device_, &info, 5'000'000'000) == VK_SUCCESS;
    }
    std::uint64_t value_of(VkSemaphore semaphore) {
        std::uint64_t value = ~std::uint64_t{0};
        of_device<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue")(device_, semaphore, &value);
        return value;
    }

    std::string missing;

private:
    template <class F>
    F of_instance(const char* name) const {
        return reinterpret_cast<F>(find_(instance_, name));
    }
    template <class F>
    F of_device(const char* name) const {
        return reinterpret_cast<F>(of_instance<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr")(device_, name));
    }

    std::string open() {
        void* const library = dlopen("libvulkan.so.1", RTLD_NOW);
        if (library == nullptr) {
            return "no libvulkan.so.1";
        }
        find_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
        VkApplicationInfo application{};
        application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
        application.apiVersion = VK_API_VERSION_1_2;
        VkInstanceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
        info.pApplicationInfo = &application;
        const auto create = reinterpret_cast<PFN_vkCreateInstance>(find_(nullptr, "vkCreateInstance"));
        if (const VkResult result = create(&info, nullptr, &instance_); result != VK_SUCCESS) {
            return "vkCreateInstance answers " + std::to_string(result);
        }
        CUuuid wanted{};
        if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetUuid_v2(&wanted, 0) != CUDA_SUCCESS) {
            return "no CUDA device";
        }
        std::uint32_t count = 0;
        const auto list = of_instance<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
        list(instance_, &count, nullptr);
        std::vector<VkPhysicalDevice> all(count);
        list(instance_, &count, all.data());
        for (const VkPhysicalDevice each : all) {
            VkPhysicalDeviceIDProperties id{};
            id.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
            VkPhysicalDeviceProperties2 properties{};
            properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
            properties.pNext = &id;
            of_instance<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(each, &properties);
            if (std::memcmp(id.deviceUUID, wanted.bytes, sizeof wanted.bytes) == 0) {
                return open_device(each);
            }
        }
        return "none of " + std::to_string(count) + " Vulkan devices is this GPU";
    }

    std::string open_device(VkPhysicalDevice physical) {
        const float priority = 1.0f;
        VkDeviceQueueCreateInfo queue{};
        queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
        queue.queueCount = 1;
        queue.pQueuePriorities = &priority;
        VkPhysicalDeviceTimelineSemaphoreFeatures timeline{};
        timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES;
        timeline.timelineSemaphore = VK_TRUE;
        const char* const extensions[] = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
        VkDeviceCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
        info.pNext = &timeline;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queue;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = extensions;
        const VkResult result = of_instance<PFN_vkCreateDevice>("vkCreateDevice")(physical, &info, nullptr, &device_);
        return result == VK_SUCCESS ? std::string() : "vkCreateDevice answers " + std::to_string(result);
    }

    PFN_vkGetInstanceProcAddr find_ = nullptr;
    VkInstance instance_ = nullptr;
    VkDevice device_ = nullptr;
};

/// A semaphore of Vulkan, and what CUDA knows it by.
struct shared_semaphore {
    vulkan& owner;
    VkSemaphore there = VK_NULL_HANDLE;
    CUexternalSemaphore here = nullptr;

    shared_semaphore(vulkan& of, VkSemaphoreType type) : owner(of), there(of.make(type)) {
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
        description.type = type == VK_SEMAPHORE_TYPE_TIMELINE ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
                                                              : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
        description.handle.fd = owner.file_of(there);
        if (description.handle.fd >= 0 && cuImportExternalSemaphore(&here, &description) != CUDA_SUCCESS) {
            here = nullptr;
            ::close(description.handle.fd);  // an import that succeeds takes the file
        }
    }
    shared_semaphore(const shared_semaphore&) = delete;
    shared_semaphore& operator=(const shared_semaphore&) = delete;
    ~shared_semaphore() {
        if (here != nullptr) {
            cuDestroyExternalSemaphore(here);
        }
        owner.destroy(there);
    }
};

std::vector<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> wait_for(std::uint64_t value) {
    std::vector<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS> each(1);
    each[0].params.fence.value = value;
    return each;
}
std::vector<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS> signal_as(std::uint64_t value) {
    std::vector<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS> each(1);
    each[0].params.fence.value = value;
    return each;
}

}  // namespace

TEMPLATE_TEST_CASE("a graph waits for a timeline of Vulkan, and moves it on", "[semaphores]", GRAPHS) {
    const ag::stream stream;
    vulkan v;
    if (!v.missing.empty()) {
        SKIP("no Vulkan here: " << v.missing);
    }
    const shared_semaphore timeline(v, VK_SEMAPHORE_TYPE_TIMELINE);
    REQUIRE(timeline.here != nullptr);
    const std::vector<CUexternalSemaphore> semaphores{timeline.here};
    std::atomic<int> calls{0};
    TestType g;
    const auto wait = g.add_semaphore_wait({}, semaphores, wait_for(3));
    const auto work = g.add_host(ag::after(wait), [&calls] { ++calls; });
    g.add_semaphore_signal(ag::after(work), semaphores, signal_as(5));
    auto exec = std::move(g).instantiate();
    exec.launch(stream);
    REQUIRE(v.signal(timeline.there, 2));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(cuStreamQuery(stream.get()) == CUDA_ERROR_NOT_READY);  // 2 is not enough
    CHECK(calls == 0);
    CHECK(v.value_of(timeline.there) == 2);
    REQUIRE(v.signal(timeline.there, 3));
    CHECK(v.wait(timeline.there, 5));
    CHECK(calls == 1);
    CHECK(v.value_of(timeline.there) == 5);
    stream.synchronize();
}

TEMPLATE_TEST_CASE("two graphs pass a binary semaphore from stream to stream", "[semaphores]", GRAPHS) {
    const ag::stream first;
    const ag::stream second;
    vulkan v;
    if (!v.missing.empty()) {
        SKIP("no Vulkan here: " << v.missing);
    }
    const shared_semaphore passed(v, VK_SEMAPHORE_TYPE_BINARY);
    REQUIRE(passed.here != nullptr);
    const std::vector<CUexternalSemaphore> semaphores{passed.here};
    std::atomic<int> order{0};
    int ran[2] = {};
    TestType before;
    const auto slow = before.add_host([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        ran[0] = ++order;
    });
    before.add_semaphore_signal(ag::after(slow), semaphores, signal_as(0));
    TestType behind;
    const auto wait = behind.add_semaphore_wait({}, semaphores, wait_for(0));
    behind.add_host(ag::after(wait), [&] { ran[1] = ++order; });
    auto signals = std::move(before).instantiate();
    auto waits = std::move(behind).instantiate();
    for (int launch = 0; launch < 3; ++launch) {
        signals.launch(first);  // a binary semaphore is waited for once its signal is on the way
        waits.launch(second);
        first.synchronize();
        second.synchronize();
        CHECK(ran[0] == 2 * launch + 1);
        CHECK(ran[1] == 2 * launch + 2);
    }
}

#else

TEST_CASE("semaphores of Vulkan", "[semaphores]") { SKIP("built without the headers of Vulkan"); }

#endif
