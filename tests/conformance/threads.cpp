// Threads that build and launch graphs of their own share no state that shows.

#include <atomic>
#include <thread>

#include "fixture.hpp"

namespace {

/// Builds, launches and destroys a producer and a consumer; the number of wrong results.
int run_programs(int rounds, float value) {
    int wrong = 0;
    const ag::stream stream;
    for (int round = 0; round < rounds; ++round) {
        constexpr int n = 2000;
        ag::memory_graph producer;
        ag::memory_graph consumer;
        auto x = producer.add_alloc<float>(n, ag::named("x"));
        auto y = producer.add_alloc<float>(n, ag::named("y"));
        const auto set = producer.add_memset(ag::after(x), x.span(), value);
        const auto clear = producer.add_memset(ag::after(y), y.span(), 1.0f);
        const auto k =
            producer.add_kernel(ag::after(set, clear), test_kernels::scale_add(), ag::grid_for(n), n, 2.0f, x.data(), y.data());
        producer.add_free(ag::after(k), std::move(x));
        std::vector<float> host(n);
        const auto out = consumer.add_memcpy(host, y.span());
        consumer.add_free(ag::after(out), std::move(y));
        auto makes = std::move(producer).instantiate();
        auto frees = std::move(consumer).instantiate();
        makes.launch(stream);
        frees.launch(stream);
        stream.synchronize();
        wrong += host != std::vector<float>(n, 2.0f * value + 1.0f);
    }
    return wrong;
}

}  // namespace

TEST_CASE("threads with graphs of their own", "[X11]") {
    const nothing_leaks guard;
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&wrong, i] { wrong += run_programs(20, static_cast<float>(i)); });
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("a thread without a context gets the device's primary one", "[X11]") {
    const nothing_leaks guard;
    int wrong = -1;
    CUcontext current = nullptr;
    std::jthread([&] {
        ag::graph g;
        cuCtxGetCurrent(&current);
        wrong = run_programs(1, 3.0f);
    }).join();
    CHECK(wrong == 0);
    CHECK(current != nullptr);
}

TEST_CASE("a buffer may be freed by another thread", "[X4]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<int>(10);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    auto [result] = exec.launch(stream);
    std::jthread([buffer = std::move(result)]() mutable {
        const ag::stream makes_the_context_current;
        auto dies_here = std::move(buffer);
    }).join();
    auto [again] = exec.launch(stream);
    CHECK(again.size() == 10);
}
