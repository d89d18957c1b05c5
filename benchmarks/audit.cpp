// Audits of graphs of some 10,000 nodes: allocations, kernels, memsets and frees in several shapes. Only the audit counts.
// Usage: audit [NODES [ROUNDS]]. Prints CSV: median, least and most milliseconds of the rounds, and findings.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <allograph/allograph.hpp>
#include <allograph/audit.hpp>

#include "../examples/saxpy.hpp"

namespace ag = allograph;

namespace {

using clock_type = std::chrono::steady_clock;

/// Builds by the driver alone.
class raw_graph {
public:
    explicit raw_graph(CUfunction saxpy) : saxpy_(saxpy) { must(cuGraphCreate(&graph_, 0)); }
    raw_graph(const raw_graph&) = delete;
    raw_graph& operator=(const raw_graph&) = delete;
    ~raw_graph() { cuGraphDestroy(graph_); }
    [[nodiscard]] CUgraph get() const { return graph_; }

    struct allocation {
        CUgraphNode node;
        CUdeviceptr address;
    };
    using nodes = std::vector<CUgraphNode>;

    allocation alloc(const nodes& after) {
        CUDA_MEM_ALLOC_NODE_PARAMS params{};
        params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        params.bytesize = bytes;
        allocation made{};
        must(cuGraphAddMemAllocNode(&made.node, graph_, after.data(), after.size(), &params));
        made.address = params.dptr;
        return made;
    }
    CUgraphNode kernel(const nodes& after, CUdeviceptr x, CUdeviceptr y) {
        int n = 256;
        float a = 2;
        void* arguments[] = {&n, &a, &x, &y};
        CUDA_KERNEL_NODE_PARAMS params{};
        params.func = saxpy_;
        params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
        params.blockDimX = 256;
        params.kernelParams = arguments;
        CUgraphNode made = nullptr;
        must(cuGraphAddKernelNode_v2(&made, graph_, after.data(), after.size(), &params));
        return made;
    }
    CUgraphNode memset(const nodes& after, CUdeviceptr at) {
        CUcontext context = nullptr;
        must(cuCtxGetCurrent(&context));
        CUDA_MEMSET_NODE_PARAMS params{};
        params.dst = at;
        params.elementSize = 4;
        params.width = bytes / 4;
        params.height = 1;
        CUgraphNode made = nullptr;
        must(cuGraphAddMemsetNode(&made, graph_, after.data(), after.size(), &params, context));
        return made;
    }
    CUgraphNode free(const nodes& after, CUdeviceptr at) {
        CUgraphNode made = nullptr;
        must(cuGraphAddMemFreeNode(&made, graph_, after.data(), after.size(), at));
        return made;
    }
    static constexpr std::size_t bytes = 4096;

private:
    static void must(CUresult result) { ag::driver::check(result, "the driver", {__FILE__, __LINE__}); }
    CUfunction saxpy_;
    CUgraph graph_ = nullptr;
};

/// One triple behind the other: every allocation has the address of the one before.
void chain(raw_graph& g, std::size_t nodes) {
    raw_graph::nodes last;
    for (std::size_t i = 0; i < nodes / 3; ++i) {
        const auto x = g.alloc(last);
        last = {g.free({g.kernel({x.node}, x.address, x.address)}, x.address)};
    }
}

/// Triples side by side.
void wide(raw_graph& g, std::size_t nodes) {
    for (std::size_t i = 0; i < nodes / 3; ++i) {
        const auto x = g.alloc({});
        g.free({g.kernel({x.node}, x.address, x.address)}, x.address);
    }
}

/// Layers of 16 kernels, each of which reads what two of the layer before wrote.
void layers(raw_graph& g, std::size_t nodes) {
    constexpr std::size_t width = 16;
    std::vector<raw_graph::allocation> before, now(width);
    raw_graph::nodes kernels(width), last;
    for (std::size_t layer = 0; layer < nodes / (3 * width); ++layer) {
        raw_graph::nodes next;
        for (std::size_t i = 0; i < width; ++i) {
            now[i] = g.alloc(before.empty() ? raw_graph::nodes{} : raw_graph::nodes{kernels[i]});
        }
        for (std::size_t i = 0; i < width; ++i) {
            const std::size_t other = (i * 7 + layer) % width;
            raw_graph::nodes after{now[i].node};
            if (!before.empty() && other != i) {
                after.push_back(kernels[other]);
            }
            next.push_back(g.kernel(after, before.empty() ? now[i].address : before[other].address, now[i].address));
        }
        for (std::size_t i = 0; i < width && !before.empty(); ++i) {
            raw_graph::nodes after{next[i]};
            for (std::size_t k = 0; k < width; ++k) {
                if (k != i && (k * 7 + layer) % width == i) {
                    after.push_back(next[k]);
                }
            }
            g.free(after, before[i].address);
        }
        before = now;
        kernels = next;
    }
    for (std::size_t i = 0; i < width && !before.empty(); ++i) {
        g.free({kernels[i]}, before[i].address);
    }
}

/// A chain of memsets over 64 long-lived allocations.
void memsets(raw_graph& g, std::size_t nodes) {
    std::vector<raw_graph::allocation> all;
    raw_graph::nodes last;
    for (int i = 0; i < 64; ++i) {
        all.push_back(g.alloc(last));
        last = {all.back().node};
    }
    for (std::size_t i = 0; i + 128 < nodes; ++i) {
        last = {g.memset(last, all[i % 64].address)};
    }
    for (const auto& each : all) {
        last = {g.free(last, each.address)};
    }
}

/// A chain of triples in which every free comes too early.
void broken(raw_graph& g, std::size_t nodes) {
    raw_graph::nodes last;
    for (std::size_t i = 0; i < nodes / 3; ++i) {
        const auto x = g.alloc(last);
        last = {g.kernel({x.node}, x.address, x.address)};
        g.free({x.node}, x.address);
    }
}

void measure(const char* shape, void (*build)(raw_graph&, std::size_t), CUfunction saxpy, std::size_t nodes, std::size_t rounds) {
    raw_graph g(saxpy);
    build(g, nodes);
    std::vector<double> times;
    ag::audit_report report;
    for (std::size_t i = 0; i <= rounds; ++i) {
        const auto begin = clock_type::now();
        report = ag::audit(g.get());
        const auto end = clock_type::now();
        if (i != 0) {  // the first warms up
            times.push_back(std::chrono::duration<double, std::milli>(end - begin).count());
        }
    }
    std::sort(times.begin(), times.end());
    std::printf("%s,%zu,%zu,%.2f,%.2f,%.2f,%zu\n", shape, report.nodes.size(), report.edges.size(), times[times.size() / 2],
                times.front(), times.back(), report.findings.size());
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t nodes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10000;
    const std::size_t rounds = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 11;
    if (nodes == 0 || rounds == 0 || argc > 3) {
        std::fprintf(stderr, "usage: audit [NODES [ROUNDS]]\n");
        return 2;
    }
    try {
        const ag::stream starts_the_driver;
        const saxpy_module module;
        const CUfunction saxpy = module.kernel().function();
        std::printf("shape,nodes,edges,median ms,least ms,most ms,findings\n");
        measure("chain", chain, saxpy, nodes, rounds);
        measure("wide", wide, saxpy, nodes, rounds);
        measure("layers", layers, saxpy, nodes, rounds);
        measure("memsets", memsets, saxpy, nodes, rounds);
        measure("broken", broken, saxpy, nodes, rounds);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "audit: %s\n", error.what());
        return 1;
    }
}
