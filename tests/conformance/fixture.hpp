#pragma once

// What the tests of the library share. They run unchanged on the reference driver and on a GPU: what only the former can
// tell, its counts, is checked where it is active.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <allograph/allograph.hpp>
#include <allograph_reference/reference_driver.h>

#include "../kernels/kernels.hpp"

namespace ag = allograph;
using Catch::Matchers::ContainsSubstring;

inline void must(CUresult result, const char* call) { ag::driver::check(result, call, {__FILE__, __LINE__}); }

inline allograph_reference_counts live_counts() {
    allograph_reference_counts counts{};
    allograph_reference_get_counts(&counts);
    return counts;
}

/// First in a test: at its end everything that the test made is gone again.
class nothing_leaks {
public:
    nothing_leaks() : before_(live_counts()) {}
    nothing_leaks(const nothing_leaks&) = delete;
    nothing_leaks& operator=(const nothing_leaks&) = delete;
    ~nothing_leaks() {
        const allograph_reference_counts after = live_counts();
        CHECK(after.graphs == before_.graphs);
        CHECK(after.executables == before_.executables);
        CHECK(after.user_objects == before_.user_objects);
        CHECK(after.streams == before_.streams);
        CHECK(after.events == before_.events);
        CHECK(after.allocations == before_.allocations);
        CHECK(after.allocation_bytes == before_.allocation_bytes);
    }

private:
    allograph_reference_counts before_;
};

/// The misuse that `action` throws; the test fails if it throws none.
template <class F>
ag::misuse misuse_of(F&& action) {
    try {
        action();
    } catch (const ag::misuse& mistake) {
        return mistake;
    }
    FAIL("no misuse was thrown");
    throw 0;
}

template <class F>
ag::driver_error driver_error_of(F&& action) {
    try {
        action();
    } catch (const ag::driver_error& error) {
        return error;
    }
    FAIL("no driver_error was thrown");
    throw 0;
}

/// "solver.cpp:41", as diagnostics write a line.
inline std::string place(const char* file, int line) { return ag::detail::line_text({file, static_cast<unsigned>(line)}); }
#define HERE place(__FILE__, __LINE__)
#define BELOW place(__FILE__, __LINE__ + 1)

inline std::vector<CUgraphNode> dependencies_of(CUgraphNode node) {
    std::size_t count = 0;
    must(cuGraphNodeGetDependencies_v2(node, nullptr, nullptr, &count), "cuGraphNodeGetDependencies_v2");
    std::vector<CUgraphNode> nodes(count);
    if (count != 0) {
        must(cuGraphNodeGetDependencies_v2(node, nodes.data(), nullptr, &count), "cuGraphNodeGetDependencies_v2");
    }
    std::sort(nodes.begin(), nodes.end());
    return nodes;
}

inline std::size_t node_count(CUgraph graph) {
    std::size_t count = 0;
    must(cuGraphGetNodes(graph, nullptr, &count), "cuGraphGetNodes");
    return count;
}

inline cuuint64_t flags_of(CUgraphExec exec) {
    cuuint64_t flags = 0;
    must(cuGraphExecGetFlags(exec, &flags), "cuGraphExecGetFlags");
    return flags;
}

template <class T>
std::vector<T> contents(const ag::stream_buffer<T>& buffer) {
    std::vector<T> host(buffer.size());
    buffer.copy_to(host);
    must(cuStreamSynchronize(buffer.stream()), "cuStreamSynchronize");
    return host;
}

/// Of memory that the executable owns.
template <class T>
std::vector<T> contents(ag::device_span<T> memory, CUstream stream) {
    std::vector<T> host(memory.size());
    must(cuMemcpyDtoHAsync(host.data(), memory.data().address(), memory.size_bytes(), stream), "cuMemcpyDtoHAsync");
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    return host;
}

/// Frees an allocation in its graph that was an output of an executable before. Drivers that refuse this leave token and
/// graph as they were. @return whether it is freed now
template <class Graph, class Deps, class T, ag::checking Checks>
bool free_former_output(Graph& g, const Deps& deps, ag::alloc_node<T, Checks>& token) {
    const std::size_t nodes = node_count(g.get());
    try {
        g.add_free(deps, std::move(token));
    } catch (const ag::driver_error& error) {
        CHECK(error.call() == std::string("cuGraphAddMemFreeNode"));
        CHECK_FALSE(token.spent());
        CHECK(node_count(g.get()) == nodes);
        return false;
    }
    CHECK(token.spent());
    return true;
}

/// The driver may destroy user objects a little later, on a thread of its own.
template <class F>
bool eventually(F&& condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > limit) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}
