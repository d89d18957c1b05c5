// One graph over two GPUs: a kernel of the first fills memory of its own that is shared with the second, whose kernel reads
// it there across the link, with no copy. Skipped, with status 0, where there is one GPU or the two cannot reach each other.
//
//     two_gpus [--relaunch TIMES]     launches that often, and compares the graph memory in use after the first and the last
//
// The reference driver has as many devices as ALLOGRAPH_REFERENCE_DEVICES says.

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <allograph/allograph.hpp>

#include "saxpy.hpp"
#include "support.hpp"

namespace ag = allograph;

namespace {

constexpr int elements = 1 << 16;
constexpr ag::source_line here{__FILE__, 0};

/// While one lives, the context that programs on a device share is the current one: modules are loaded for it.
class on_device {
public:
    explicit on_device(ag::device where)
        : device_(ag::driver::device_get(where.ordinal, here)), before_(ag::driver::ctx_get_current(here)),
          context_(ag::driver::device_primary_ctx_retain(device_, here)) {
        const CUresult result = cuCtxSetCurrent(context_);
        if (result != CUDA_SUCCESS) {
            cuDevicePrimaryCtxRelease(device_);
            ag::driver::check(result, "cuCtxSetCurrent", here);
        }
    }
    on_device(const on_device&) = delete;
    on_device& operator=(const on_device&) = delete;
    ~on_device() {
        cuCtxSetCurrent(before_);
        cuDevicePrimaryCtxRelease(device_);  // graphs and streams hold the context as well
    }

private:
    CUdevice device_;
    CUcontext before_, context_;
};

/// @return why there is nothing to do, or null
const char* why_skipped() {
    ag::driver::init(here);
    if (ag::driver::device_get_count(here) < 2) {
        return "one GPU, and this needs two";
    }
    int reaches = 0;
    ag::driver::check(cuDeviceCanAccessPeer(&reaches, ag::driver::device_get(1, here), ag::driver::device_get(0, here)),
                      "cuDeviceCanAccessPeer", here);
    return reaches == 0 ? "device 1 cannot reach the memory of device 0" : nullptr;
}

int two_gpus(example::arguments& given) {
    const std::size_t launches = given.take_count("--relaunch", 1, 1'000'000'000);
    if (!given.rest().empty()) {
        throw example::bad_input("it takes no file");
    }
    if (const char* const why = why_skipped()) {
        std::printf("two_gpus: skipped: %s\n", why);
        return 0;
    }
    constexpr ag::device first{0}, second{1};
    const ag::stream stream{first};
    const ag::graph_memory memory[] = {ag::graph_memory{first}, ag::graph_memory{second}};
    const on_device loads_for_the_second{second};
    const saxpy_module on_second;
    const on_device loads_for_the_first{first};
    const saxpy_module on_first;
    const std::vector<float> host_input(elements, 3.0f);

    ag::memory_graph g{first};
    auto in = g.add_alloc<float>(elements, ag::named("in"));
    auto x = g.add_alloc<float>(elements, ag::named("x").shared_with(second));            // on the first
    auto y = g.add_alloc<float>(elements, ag::named("y").on(second).shared_with(first));  // whose memset sets it
    auto copied = g.add_memcpy(ag::after(in), in.span(), host_input);
    auto x_set = g.add_memset(ag::after(x), x.span(), 1.0f);
    auto y_set = g.add_memset(ag::after(y), y.span(), 0.5f);
    auto filled =
        g.add_kernel(ag::after(copied, x_set), on_first.kernel(), ag::grid_for(elements), elements, 2.0f, in.data(), x.data());
    auto read =
        g.add_kernel(ag::after(filled, y_set), on_second.kernel(), ag::grid_for(elements), elements, 2.0f, x.data(), y.data());
    g.add_free(ag::after(filled), std::move(in));
    g.add_free(ag::after(read), std::move(x));
    auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));

    std::vector<float> result(elements);
    std::uint64_t used[2][2] = {};  // by device: after the first launch, after the last
    for (std::size_t i = 0; i < launches; ++i) {
        auto [output] = exec.launch(stream);
        const bool checked = i == 0 || i == launches - 1;
        if (checked) {
            output.copy_to(result);
        }
        output.free();  // here, where a failure is an exception: the destructor could only report it
        if (!checked) {
            continue;
        }
        stream.synchronize();
        for (int d = 0; d < 2; ++d) {
            used[d][1] = memory[d].used();
            used[d][0] = i == 0 ? used[d][1] : used[d][0];
        }
        for (const float each : result) {
            if (each != 14.5f) {
                throw std::runtime_error("an element of " + std::to_string(each) + ", not 14.5, in launch " +
                                         std::to_string(i + 1));
            }
        }
    }
    std::printf("two_gpus: %zu launches, %d elements of 2 * (2 * 3 + 1) + 0.5 are all 14.5, on %s\n", launches, elements,
                allograph_reference_active() ? "the reference driver" : "two GPUs");
    for (int d = 0; d < 2; ++d) {
        std::printf("graph memory in use on device %d: %llu bytes after the first launch, %llu after the last\n", d,
                    static_cast<unsigned long long>(used[d][0]), static_cast<unsigned long long>(used[d][1]));
    }
    if (used[0][0] != used[0][1] || used[1][0] != used[1][1]) {
        throw std::runtime_error("the graph memory in use changed");
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return example::run("two_gpus", argc, argv, two_gpus); }
