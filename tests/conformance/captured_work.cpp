// Library calls as nodes of a program: what they put on a stream is captured where the program is built, and stands as one node
// where it is verified or planned.

#include <allograph/capture.hpp>
#include <allograph/plan.hpp>

#include "fixture.hpp"

#define MEMORY_GRAPHS ag::memory_graph, ag::unchecked_memory_graph

namespace {

void set(CUstream stream, ag::device_ptr<float> to, float value, std::size_t count) {
    must(cuMemsetD32Async(to.address(), std::bit_cast<unsigned>(value), count, stream), "cuMemsetD32Async");
}

/// y = a * x + y, as a library does it.
void scale_add(CUstream stream, int n, float a, CUdeviceptr x, CUdeviceptr y) {
    void* arguments[] = {&n, &a, &x, &y};
    must(cuLaunchKernel(test_kernels::scale_add().function(), static_cast<unsigned>(n + 255) / 256, 1, 1, 256, 1, 1, 0, stream,
                        arguments, nullptr),
         "cuLaunchKernel");
}
void scale_add(CUstream stream, int n, float a, ag::device_ptr<float> x, ag::device_ptr<float> y) {
    scale_add(stream, n, a, x.address(), y.address());
}

/// Lets `first` and `second` run on two streams.
template <class F, class G>
void fork_and_join(CUstream stream, CUstream side, F&& first, G&& second) {
    CUevent events[2];
    for (CUevent& each : events) {
        must(cuEventCreate(&each, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
    }
    must(cuEventRecord(events[0], stream), "cuEventRecord");
    must(cuStreamWaitEvent(side, events[0], 0), "cuStreamWaitEvent");
    first(stream);
    second(side);
    must(cuEventRecord(events[1], side), "cuEventRecord");
    must(cuStreamWaitEvent(stream, events[1], 0), "cuStreamWaitEvent");
    for (const CUevent each : events) {
        cuEventDestroy_v2(each);
    }
}

constexpr int n = 1000;
constexpr std::size_t count = 1000;

/// 3 * 1 + 2 in y, by three calls of a library, x and t being its memory.
constexpr auto library_program = [](auto& g, int* calls) {
    auto x = g.template add_alloc<float>(count, ag::named("x"));
    auto y = g.template add_alloc<float>(count, ag::named("y"));
    auto filled = g.add_captured(
        ag::after(x, y),
        [calls, x = x.data(), y = y.data()](CUstream stream) {
            ++*calls;
            set(stream, x, 1.0f, count);
            set(stream, y, 2.0f, count);
        },
        ag::uses(ag::writes(x), ag::writes(y)));
    auto added = g.add_captured(
        ag::after(filled), [calls, x = x.data(), y = y.data()](CUstream stream) { ++*calls, scale_add(stream, n, 3.0f, x, y); },
        ag::uses(ag::reads(x), ag::writes(y)));
    auto gone = g.add_free(ag::after(added), std::move(x));
    auto t = g.template add_alloc<float>(ag::after(gone), count, ag::named("t"));
    auto copied = g.add_captured(
        ag::after(t),
        [calls, t = t.data(), y = y.data()](CUstream stream) {
            ++*calls;
            must(cuMemcpyDtoDAsync_v2(t.address(), y.address(), 4 * count, stream), "cuMemcpyDtoDAsync_v2");
        },
        ag::uses(ag::reads(y), ag::writes(t)));
    g.add_free(ag::after(copied), std::move(t));
    return ag::outputs(std::move(y));
};

}  // namespace

TEMPLATE_TEST_CASE("captured work is a node of its graph", "[C11][C19]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    TestType g;
    auto x = g.template add_alloc<float>(count);
    auto y = g.template add_alloc<float>(count);
    const ag::captured_node work = g.add_captured(
        ag::after(x, y),
        [x = x.data(), y = y.data()](CUstream on) {
            set(on, x, 1.0f, count);
            set(on, y, 2.0f, count);
            scale_add(on, n, 3.0f, x, y);
        },
        ag::uses(ag::reads(x), ag::writes(y)));
    CHECK(node_count(g.get()) == 5);
    CUgraphNodeType type{};
    must(cuGraphNodeGetType(work.get(), &type), "cuGraphNodeGetType");
    CHECK(type == CU_GRAPH_NODE_TYPE_KERNEL);
    g.add_free(ag::after(work), std::move(x));
    auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<float>(count, 5.0f));
}

TEMPLATE_TEST_CASE("where streams of captured work join, an empty node comes after all of them", "[C11]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    const ag::stream stream;
    const ag::stream side;
    TestType g;
    auto x = g.template add_alloc<float>(count);
    auto y = g.template add_alloc<float>(count);
    const auto work = g.add_captured(
        ag::after(x, y),
        [&, x = x.data(), y = y.data()](CUstream on) {
            fork_and_join(on, side, [&](CUstream s) { set(s, x, 1.0f, count); }, [&](CUstream s) { set(s, y, 2.0f, count); });
        },
        ag::uses(ag::writes(x), ag::writes(y)));
    CHECK(dependencies_of(work.get()).size() == 2);
    const auto nothing = g.add_captured(ag::after(work), [](CUstream) {}, ag::uses());
    CHECK(dependencies_of(nothing.get()) == std::vector<CUgraphNode>{work.get()});
    g.add_free(ag::after(nothing), std::move(x));
    auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<float>(count, 2.0f));
}

TEST_CASE("uses of captured work are checked like those of any node", "[O1][O3]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(count);
    auto y = g.add_alloc<float>(ag::after(x), count);
    bool called = false;
    const auto first =
        g.add_captured(ag::after(x), [x = x.data()](CUstream on) { set(on, x, 1.0f, count); }, ag::uses(ag::writes(x)));
    const std::size_t nodes = node_count(g.get());
    SECTION("before anything is captured") {
        const ag::misuse wrong =
            misuse_of([&] { g.add_captured(ag::after(x), [&](CUstream) { called = true; }, ag::uses(ag::writes(y))); });
        CHECK(wrong.rule() == std::string("O1"));
        CHECK_THAT(wrong.what(), ContainsSubstring("captured work"));
        CHECK(!called);
        CHECK(node_count(g.get()) == nodes);
    }
    SECTION("those that no captured node shows count for the last one") {
        const auto second = g.add_captured(
            ag::after(first, y), [x = x.data()](CUstream on) { set(on, x, 2.0f, count); }, ag::uses(ag::writes(x), ag::reads(y)));
        CHECK(misuse_of([&] { g.add_free(ag::after(y), std::move(y)); }).rule() == std::string("O3"));
        g.add_free(ag::after(second), std::move(y));
    }
    SECTION("dependencies are inferred from them") {
        const auto second = g.add_captured(
            ag::inferred, [x = x.data()](CUstream on) { set(on, x, 2.0f, count); }, ag::uses(ag::writes(x), ag::writes(y)));
        CHECK(dependencies_of(second.get()).size() == 2);
        g.add_free(ag::inferred, std::move(y));
    }
    SECTION("and what a captured node shows besides") {
        CHECK(misuse_of([&] {
                  g.add_captured(ag::after(x), [y = y.data()](CUstream on) { set(on, y, 2.0f, count); }, ag::uses());
              }).rule() == std::string("O1"));
        CHECK(misuse_of([&] { auto exec = std::move(g).instantiate(ag::auto_free(std::move(x), std::move(y))); }).rule() ==
              std::string("C13"));
    }
}

TEST_CASE("captured work that throws leaves a graph that says so", "[C13]") {
    const nothing_leaks guard;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(count);
    CHECK_THROWS_AS(g.add_captured(
                        ag::after(x),
                        [x = x.data()](CUstream on) {
                            set(on, x, 1.0f, count);
                            throw std::runtime_error("the library says no");
                        },
                        ag::uses(ag::writes(x))),
                    std::runtime_error);
    const ag::misuse refused = misuse_of([&] { auto exec = std::move(g).instantiate(ag::auto_free(std::move(x))); });
    CHECK(refused.rule() == std::string("C13"));
    CHECK_THAT(refused.what(), ContainsSubstring("captured_work.cpp"));
}

TEMPLATE_TEST_CASE("a call that breaks the capture of work takes the graph along", "[C13]", MEMORY_GRAPHS) {
    const nothing_leaks guard;
    TestType g;
    auto x = g.template add_alloc<float>(count);
    CHECK_THROWS_AS(g.add_captured(
                        ag::after(x),
                        [](CUstream) {
                            CUdeviceptr address = 0;
                            CHECK(cuMemAlloc_v2(&address, 64) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
                        },
                        ag::uses(ag::writes(x))),
                    ag::driver_error);
    CHECK(g.get() == nullptr);
    CHECK(misuse_of([&] { auto exec = std::move(g).instantiate(ag::auto_free(std::move(x))); }).rule() == std::string("C13"));
}

TEST_CASE("a program with captured work is verified and planned without running it, and built planned and unplanned",
          "[plan][C11]") {
    const nothing_leaks guard;
    const ag::stream stream;
    int calls = 0;
    CHECK(ag::verify(library_program, &calls));
    const ag::memory_plan plan = ag::plan(library_program, &calls);
    CHECK(plan.allocations().size() == 2);
    CHECK(plan.arenas()[0].bytes == 4096);  // t takes the place of x
    CHECK(calls == 0);
    {
        auto exec = ag::build(ag::device{0}, library_program, &calls);
        CHECK(calls == 3);
        auto [result] = exec.launch(stream);
        CHECK(contents(result) == std::vector<float>(count, 5.0f));
    }
    auto exec = ag::build(ag::device{0}, ag::unplanned, library_program, &calls);
    CHECK(calls == 6);
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<float>(count, 5.0f));
}

TEST_CASE("captured work of a planned program may allocate for itself", "[plan][C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    const auto program = [](auto& g) {
        auto x = g.template add_alloc<float>(count);
        auto work = g.add_captured(
            ag::after(x),
            [x = x.data()](CUstream on) {
                CUdeviceptr scratch = 0;
                must(cuMemAllocAsync(&scratch, 4 * count, on), "cuMemAllocAsync");
                set(on, ag::device_ptr<float>(scratch), 4.0f, count);
                must(cuMemcpyDtoDAsync_v2(x.address(), scratch, 4 * count, on), "cuMemcpyDtoDAsync_v2");
                must(cuMemFreeAsync(scratch, on), "cuMemFreeAsync");
            },
            ag::uses(ag::writes(x)));
        auto y = g.template add_alloc<float>(ag::after(work), count);  // leaves: it is no part of the plan
        auto copied = g.add_memcpy(ag::after(y), y.span(), x.span());
        g.add_free(ag::after(copied), std::move(x));
        return ag::outputs(std::move(y));
    };
    auto exec = ag::build(ag::device{0}, program);
    auto [result] = exec.launch(stream);
    CHECK(contents(result) == std::vector<float>(count, 4.0f));
}

TEST_CASE("captured work that touches something else when it is built is stopped", "[plan]") {
    int built = 0;
    const auto program = [&built](auto& g) {
        auto x = g.template add_alloc<float>(count);
        auto y = g.template add_alloc<float>(count);
        ++built;
        auto work = g.add_captured(ag::after(x, y), [](CUstream) {}, ag::uses(built == 1 ? ag::writes(x) : ag::writes(y)));
        g.add_free(ag::after(work), std::move(x));
        g.add_free(ag::after(work), std::move(y));
    };
    CHECK(misuse_of([&] { auto exec = ag::build(ag::device{0}, program); }).rule() == std::string("plan"));
}

// ---- the model alone

namespace {
constexpr auto freed_too_early = [](auto& g) {
    auto x = g.template add_alloc<float>(count);
    g.add_captured(ag::after(x), [](CUstream) {}, ag::uses(ag::writes(x)));
    g.add_free(ag::after(x), std::move(x));
};
constexpr auto freed_in_time = [](auto& g) {
    auto x = g.template add_alloc<float>(count);
    auto work = g.add_captured(ag::after(x), [](CUstream) {}, ag::uses(ag::writes(x)));
    g.add_free(ag::after(work), std::move(x));
};
static_assert(!ag::verify(freed_too_early));
static_assert(ag::verify(freed_in_time));
}  // namespace

TEST_CASE("a report names captured work", "[O3]") {
    CHECK_THAT(ag::report(freed_too_early).text(), ContainsSubstring("captured work"));
}
