// A program with streams per thread: this one is compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM, which gives the driver's
// functions other names. The null stream is the thread's own then, and may capture.

#include <allograph/capture.hpp>

#include "fixture.hpp"

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#error "compile this file for streams per thread"
#endif

TEST_CASE("a program with streams per thread launches on the stream of each thread", "[X8]") {
    const nothing_leaks guard;
    const auto run = [](int value) {
        ag::memory_graph g;
        auto x = g.add_alloc<int>(1000);
        g.add_memset(ag::after(x), x.span(), value);
        auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
        exec.upload(CUstream{});
        std::vector<int> host(1000);
        for (int i = 0; i < 3; ++i) {
            auto [result] = exec.launch(CUstream{});
            result.copy_to(host);
            result.free();
        }
        must(cuStreamSynchronize(CUstream{}), "cuStreamSynchronize");
        return host;
    };
    std::vector<int> other;
    std::thread second([&] { other = run(2); });
    const std::vector<int> own = run(1);
    second.join();
    CHECK(own == std::vector<int>(1000, 1));
    CHECK(other == std::vector<int>(1000, 2));
}

TEST_CASE("the stream of a thread is captured", "[C11][C12]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(10, ag::named("x"));
    auto scope = std::move(g).capture(CUstream{}, ag::after(x));
    must(cuMemsetD32Async(x.data().address(), 5, 10, CUstream{}), "cuMemsetD32Async");
    scope.check();
    auto [graph, captured] = std::move(scope).end();
    CHECK(captured.nodes().size() == 1);
    auto exec = std::move(graph).instantiate(ag::outputs(std::move(x)));
    auto [result] = exec.launch(CUstream{});
    CHECK(contents(result) == std::vector<int>(10, 5));
}
