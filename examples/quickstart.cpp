// The code of the README, made a program: y = 2 * x + 1 in one graph that owns its memory, checked on the host.

#include <cstdio>
#include <vector>

#include <allograph/allograph.hpp>

#include "saxpy.hpp"

namespace ag = allograph;

static int quickstart() {
    constexpr int n = 1 << 20;
    const std::vector<float> host_input(n, 3.0f);

    const ag::stream stream;
    ag::memory_graph g{ag::device{0}};
    const saxpy_module module;

    auto x = g.add_alloc<float>(n, ag::named("x"));                // a root
    auto y = g.add_alloc<float>(ag::after(x), n, ag::named("y"));  // dependencies come first
    auto in = g.add_memcpy(ag::after(x), x.span(), host_input);
    auto ones = g.add_memset(ag::after(y), y.span(), 1.0f);
    auto k = g.add_kernel(ag::after(in, ones), module.kernel(), ag::grid_for(n), n, 2.0f, x.data(), y.data());
    g.add_free(ag::after(k), std::move(x));  // x is spent: a second free does not compile

    auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));  // y leaves the graph, and says so
    auto [result] = exec.launch(stream);                              // a stream_buffer<float>: freed on the stream when it dies

    std::vector<float> host_result(n);
    result.copy_to(host_result);
    stream.synchronize();

    for (int i = 0; i < n; ++i) {
        if (host_result[static_cast<std::size_t>(i)] != 7.0f) {
            std::fprintf(stderr, "quickstart: element %d is %g, not 7\n", i,
                         static_cast<double>(host_result[static_cast<std::size_t>(i)]));
            return 1;
        }
    }
    std::printf("quickstart: %d elements of 2 * 3 + 1 are all 7, on %s\n", n,
                allograph_reference_active() ? "the reference driver" : "a GPU");
    return 0;
}

int main() {
    try {
        return quickstart();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "quickstart: %s\n", error.what());
        return 1;
    }
}
