// Conditional nodes whose values kernels set on the device, which takes the device runtime: loops, branches, switches.

#include <vector>

#include <cuda_runtime.h>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <allograph/allograph.hpp>
#include <allograph/cudart.hpp>

namespace ag = allograph;

#define GRAPHS ag::memory_graph, ag::unchecked_memory_graph

namespace {

constexpr ag::launch_config one_thread{};  // what the kernels below are written for

/// Ends a loop once the counter has come down to 0.
__global__ void count_down(cudaGraphConditionalHandle loops, int* left, int* rounds) {
    ++*rounds;
    cudaGraphSetConditional(loops, --*left > 0 ? 1 : 0);
}

__global__ void set_from(cudaGraphConditionalHandle decides, const unsigned* value) { cudaGraphSetConditional(decides, *value); }

/// 2 for 1, which ends the sequence; else 0 for an even number, 1 for an odd one.
__global__ void look_at(cudaGraphConditionalHandle which, const long long* number) {
    cudaGraphSetConditional(which, *number == 1 ? 2 : static_cast<unsigned>(*number & 1));
}

__global__ void halve(long long* number, int* steps) {
    *number /= 2;
    ++*steps;
}

__global__ void triple_and_one(long long* number, int* steps) {
    *number = 3 * *number + 1;
    ++*steps;
}

__global__ void end_loop(cudaGraphConditionalHandle loops) { cudaGraphSetConditional(loops, 0); }

__global__ void start_with(long long value, long long* number, int* steps) {
    *number = value;
    *steps = 0;
}

template <class T>
std::vector<T> contents(const ag::stream_buffer<T>& buffer) {
    std::vector<T> host(buffer.size());
    buffer.copy_to(host);
    REQUIRE(cuStreamSynchronize(buffer.stream()) == CUDA_SUCCESS);
    return host;
}

}  // namespace

TEMPLATE_TEST_CASE("a loop runs until its kernel ends it, in every launch anew", "[C9]", GRAPHS) {
    const ag::stream stream;
    for (const int rounds : {1, 2, 1000}) {
        TestType g;
        auto left = g.template add_alloc<int>(1, ag::named("left"));
        auto done = g.template add_alloc<int>(1, ag::named("done"));
        const auto start = g.add_memset(ag::after(left), left.span(), rounds);
        const auto clear = g.add_memset(ag::after(done), done.span(), 0);
        auto loops = g.make_condition(1);
        auto loop = g.add_while(ag::after(start, clear), loops);
        loop.body.add_kernel(ag::kernel_of(count_down), one_thread, loops, left.data(), done.data());
        g.add_free(ag::after(loop.node), std::move(left));
        auto exec = std::move(g).instantiate(ag::outputs(std::move(done)));
        for (int launch = 0; launch < 3; ++launch) {
            auto [result] = exec.launch(stream);
            CHECK(contents(result)[0] == rounds);
        }
    }
}

TEMPLATE_TEST_CASE("a kernel decides whether a body runs, and which of two", "[C9]", GRAPHS) {
    const ag::stream stream;
    for (const unsigned value : {0u, 1u, 7u}) {
        TestType g;
        auto decided = g.template add_alloc<unsigned>(1, ag::named("decided"));
        auto result = g.template add_alloc<int>(2, ag::named("result"));
        const auto set = g.add_memset(ag::after(decided), decided.span(), value);
        const auto clear = g.add_memset(ag::after(result), result.span(), 0);
        auto first = g.make_condition();  // without a value until the kernel has run
        auto second = g.make_condition();
        const auto sets_first = g.add_kernel(ag::after(set), ag::kernel_of(set_from), one_thread, first, decided.data());
        const auto sets_second = g.add_kernel(ag::after(set), ag::kernel_of(set_from), one_thread, second, decided.data());
        auto when = g.add_if(ag::after(sets_first, clear), first);
        when.body.add_memset(result.span().first(1), 1);
        auto either = g.add_if_else(ag::after(sets_second, when.node), second);
        either.body.add_memset(result.span().last(1), 2);
        either.otherwise.add_memset(result.span().last(1), 3);
        g.add_free(ag::after(sets_first, sets_second), std::move(decided));
        auto exec = std::move(g).instantiate(ag::outputs(std::move(result)));
        auto [buffer] = exec.launch(stream);
        CHECK(contents(buffer) == std::vector<int>{value != 0 ? 1 : 0, value != 0 ? 2 : 3});
    }
}

TEMPLATE_TEST_CASE("a kernel chooses the body of a switch, or none", "[C9]", GRAPHS) {
    const ag::stream stream;
    constexpr unsigned bodies = 4;
    for (const unsigned value : {0u, 1u, 3u, 4u, 0xFFFFFFFFu}) {
        TestType g;
        auto decided = g.template add_alloc<unsigned>(1);
        auto result = g.template add_alloc<int>(1);
        const auto set = g.add_memset(ag::after(decided), decided.span(), value);
        const auto clear = g.add_memset(ag::after(result), result.span(), -1);
        auto which = g.make_condition(0);
        const auto sets = g.add_kernel(ag::after(set), ag::kernel_of(set_from), one_thread, which, decided.data());
        auto chosen = g.add_switch(ag::after(sets, clear), which, bodies);
        for (unsigned i = 0; i < bodies; ++i) {
            chosen.bodies[i].add_memset(result.span(), static_cast<int>(100 + i));
        }
        g.add_free(ag::after(sets), std::move(decided));
        auto exec = std::move(g).instantiate(ag::outputs(std::move(result)));
        auto [buffer] = exec.launch(stream);
        CHECK(contents(buffer)[0] == (value < bodies ? static_cast<int>(100 + value) : -1));
    }
}

// While the number is not 1: halve it if it is even, else triple it and add one. 27 takes 111 steps.
TEMPLATE_TEST_CASE("a switch inside of a loop: a state machine that never leaves the device", "[C8][C9]", GRAPHS) {
    const ag::stream stream;
    TestType g;
    auto number = g.template add_alloc<long long>(1, ag::named("number"));
    auto steps = g.template add_alloc<int>(1, ag::named("steps"));
    const auto start =
        g.add_kernel(ag::after(number, steps), ag::kernel_of(start_with), one_thread, 27LL, number.data(), steps.data());
    auto loops = g.make_condition(1);
    auto loop = g.add_while(ag::after(start), loops);
    auto which = loop.body.make_condition(0);
    const auto looks = loop.body.add_kernel(ag::kernel_of(look_at), one_thread, which, number.data());
    auto chosen = loop.body.add_switch(ag::after(looks), which, 3);
    chosen.bodies[0].add_kernel(ag::kernel_of(halve), one_thread, number.data(), steps.data());
    chosen.bodies[1].add_kernel(ag::kernel_of(triple_and_one), one_thread, number.data(), steps.data());
    chosen.bodies[2].add_kernel(ag::kernel_of(end_loop), one_thread, loops);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(number), std::move(steps)));
    for (int launch = 0; launch < 2; ++launch) {
        auto [last, taken] = exec.launch(stream);
        CHECK(contents(last)[0] == 1);
        CHECK(contents(taken)[0] == 111);
    }
}
