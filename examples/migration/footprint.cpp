// How graphs share addresses and physical memory.

#include "migration.hpp"

namespace migration {
namespace {

constexpr int graph_count = 4;
constexpr long long busy_cycles = 100'000'000;

auto make_graph(const kernels& use, std::size_t count) {
    ag::memory_graph g;
    auto x = g.add_alloc<float>(count);
    auto busy = g.add_kernel(ag::after(x), use.keep_busy, ag::launch_config{}, busy_cycles, x.data());
    g.add_free(ag::after(busy), std::move(x));
    return std::move(g).instantiate();
}

auto make_leaving_graph(std::size_t count) {
    ag::memory_graph g;
    auto x = g.add_alloc<float>(count);
    return std::move(g).instantiate(ag::outputs(std::move(x)));
}

}  // namespace

std::vector<std::uint64_t> footprint(const kernels& use, std::size_t bytes) {
    const std::size_t count = bytes / sizeof(float);
    std::vector<std::uint64_t> seen;
    const ag::graph_memory memory(ag::device{0});
    memory.trim();
    const ag::stream streams[graph_count];

    {  // Allocations of one graph, one after the other, share an address.
        ag::memory_graph g;
        auto a = g.add_alloc<float>(count);
        const auto address = a.data().address();
        auto freed = g.add_free(ag::after(a), std::move(a));
        auto b = g.add_alloc<float>(ag::after(freed), count);
        seen.push_back(b.data().address() == address ? 1 : 0);
        g.add_free(ag::after(b), std::move(b));
        auto exec = std::move(g).instantiate();
        exec.launch(streams[0]);
        streams[0].synchronize();
        seen.push_back(memory.reserved());
    }
    memory.trim();

    // Graphs on one stream share physical memory, which is taken at the first launch.
    std::vector<decltype(make_graph(use, count))> execs;
    for (int i = 0; i < graph_count; ++i) {
        execs.push_back(make_graph(use, count));
    }
    seen.push_back(memory.reserved());
    for (auto& each : execs) {
        each.launch(streams[0]);
        seen.push_back(memory.reserved());
    }
    streams[0].synchronize();
    memory.trim();

    // Those that run at once do not.
    for (std::size_t i = 0; i < execs.size(); ++i) {
        execs[i].launch(streams[i]);
        seen.push_back(memory.reserved());
    }
    for (const ag::stream& each : streams) {
        each.synchronize();
    }
    execs.clear();
    memory.trim();

    // What a graph does not free stays, and trimming waits for its free.
    std::vector<decltype(make_leaving_graph(count))> leaving;
    std::vector<ag::stream_buffer<float>> outputs;
    for (int i = 0; i < graph_count; ++i) {
        leaving.push_back(make_leaving_graph(count));
    }
    for (auto& each : leaving) {
        auto [output] = each.launch(streams[0]);
        outputs.push_back(std::move(output));
        seen.push_back(memory.reserved());
    }
    streams[0].synchronize();
    memory.trim();
    seen.push_back(memory.reserved());
    outputs.clear();
    streams[0].synchronize();
    seen.push_back(memory.reserved());
    memory.trim();
    seen.push_back(memory.reserved());
    return seen;
}

}  // namespace migration
