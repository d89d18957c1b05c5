// Builds one shape of graph through the raw calls, the unchecked graph and the checked graph, side by side.
//
//     overhead_shapes time SHAPE NODES ROUNDS   prints CSV rows: shape,nodes,variant,ns_per_node,ratio
//     overhead_shapes count SHAPE NODES VARIANT builds once, for callgrind to count; `none` is all but the building
//
// Shapes are programs that are drawn up beforehand, so that the three variants do the same work in the same order.
//
// A round builds the graph four times at once: a thousand nodes of one variant, a thousand of the next, and so on, in an
// order that is drawn anew each time, so that a machine that slows down for a while slows all of them. None follows
// itself: it would find the caches as it left them. One round warms up; each of the others gives one ratio to raw, and
// the middle ratio is what counts. `raw_again` is the raw build once more: how far its ratio is from 1 says how far the
// others' may be off. overhead.py runs it several times.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <malloc.h>
#include <sched.h>
#include <time.h>

#include <allograph/allograph.hpp>

#include "../examples/saxpy.hpp"

namespace ag = allograph;

namespace {

constexpr std::size_t elements = 1024;
constexpr std::size_t most_deps = 4;

enum class op_kind { alloc, memset, kernel, free };

struct op {
    op_kind kind;
    unsigned deps[most_deps];
    unsigned dep_count = 0;
    unsigned allocation = 0;  // the one it makes, writes or frees
    unsigned source = 0;      // the one a kernel reads
};

/// One program: ops in order; the n-th op is the n-th node.
struct program {
    std::vector<op> ops;
    unsigned allocations = 0;

    unsigned add(op_kind kind, std::initializer_list<unsigned> deps, unsigned allocation, unsigned source = 0) {
        op made{kind, {}, 0, allocation, source};
        for (const unsigned d : deps) {
            bool seen = false;
            for (unsigned i = 0; i < made.dep_count; ++i) {
                seen = seen || made.deps[i] == d;
            }
            if (!seen) {
                made.deps[made.dep_count++] = d;
            }
        }
        ops.push_back(made);
        return static_cast<unsigned>(ops.size() - 1);
    }
};

program chain(std::size_t nodes) {
    program p;
    unsigned last = p.add(op_kind::alloc, {}, p.allocations);
    while (true) {
        last = p.add(op_kind::memset, {last}, p.allocations);
        last = p.add(op_kind::free, {last}, p.allocations++);
        if (p.ops.size() + 3 > nodes) {
            return p;
        }
        last = p.add(op_kind::alloc, {last}, p.allocations);
    }
}

program wide(std::size_t nodes) {
    program p;
    while (p.ops.size() + 3 <= nodes) {
        const unsigned a = p.add(op_kind::alloc, {}, p.allocations);
        const unsigned m = p.add(op_kind::memset, {a}, p.allocations);
        p.add(op_kind::free, {m}, p.allocations++);
    }
    return p;
}

/// A stack of layers of eight: each allocates its outputs, eight kernels read two outputs of the layer before and
/// write one of their own, and then the layer before is freed.
program layered(std::size_t nodes) {
    constexpr unsigned width = 8;
    program p;
    std::array<unsigned, width> before{};
    std::array<unsigned, width> before_allocation{};
    for (unsigned i = 0; i < width; ++i) {
        const unsigned a = p.add(op_kind::alloc, {}, p.allocations);
        before[i] = p.add(op_kind::memset, {a}, p.allocations);
        before_allocation[i] = p.allocations++;
    }
    while (p.ops.size() + 3 * width <= nodes) {
        std::array<unsigned, width> now{};
        std::array<unsigned, width> allocation{};
        for (unsigned i = 0; i < width; ++i) {
            now[i] = p.add(op_kind::alloc, {before[i]}, p.allocations);
            allocation[i] = p.allocations++;
        }
        for (unsigned i = 0; i < width; ++i) {
            now[i] = p.add(op_kind::kernel, {now[i], before[i], before[(i + 1) % width]}, allocation[i],
                           before_allocation[(i + 1) % width]);
        }
        for (unsigned i = 0; i < width; ++i) {
            p.add(op_kind::free, {now[i], now[(i + width - 1) % width]}, before_allocation[i]);
        }
        before = now;
        before_allocation = allocation;
    }
    for (const unsigned a : before_allocation) {
        const auto writer =
            static_cast<unsigned>(std::find(before_allocation.begin(), before_allocation.end(), a) - before_allocation.begin());
        p.add(op_kind::free, {before[writer]}, a);
    }
    return p;
}

/// Every node depends on 2 to 4: the last use of its memory and any nodes of the last 256.
program random_order(std::size_t nodes) {
    program p;
    std::mt19937 random(1);
    struct live {
        unsigned allocation;
        unsigned last_use;
    };
    std::vector<live> alive;
    const auto any = [&] {
        const auto size = static_cast<unsigned>(p.ops.size());
        return size - 1 - static_cast<unsigned>(random() % std::min(size, 256u));
    };
    const auto add = [&](op_kind kind, unsigned first, unsigned allocation) {
        const unsigned a = any();
        const unsigned b = any();
        const unsigned c = any();
        switch (random() % 3) {
        case 0:
            return p.add(kind, {first, a}, allocation);
        case 1:
            return p.add(kind, {first, a, b}, allocation);
        default:
            return p.add(kind, {first, a, b, c}, allocation);
        }
    };
    p.add(op_kind::alloc, {}, 0);
    alive.push_back({p.allocations++, 0});
    while (p.ops.size() + alive.size() < nodes) {
        const auto which = random() % alive.size();
        if (alive.size() < 64 && random() % 3 == 0) {
            const unsigned a = add(op_kind::alloc, any(), p.allocations);
            alive.push_back({p.allocations++, a});
        } else if (alive.size() > 16 && random() % 3 == 0) {
            add(op_kind::free, alive[which].last_use, alive[which].allocation);
            alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(which));
        } else {
            alive[which].last_use = add(op_kind::memset, alive[which].last_use, alive[which].allocation);
        }
    }
    for (const live& each : alive) {
        add(op_kind::free, each.last_use, each.allocation);
    }
    return p;
}

/// 1,000 buffers allocated side by side, written in turn by one long chain, freed at the end.
program long_lived(std::size_t nodes) {
    constexpr unsigned buffers = 1000;
    program p;
    std::vector<unsigned> alloc(buffers);
    for (unsigned i = 0; i < buffers; ++i) {
        alloc[i] = p.add(op_kind::alloc, {}, i);
    }
    p.allocations = buffers;
    unsigned last = p.add(op_kind::memset, {alloc[0]}, 0);
    for (unsigned step = 1; p.ops.size() + buffers < nodes; ++step) {
        const unsigned b = step * 7919u % buffers;
        last = step < buffers ? p.add(op_kind::memset, {last, alloc[b]}, b) : p.add(op_kind::memset, {last}, b);
    }
    for (unsigned i = 0; i < buffers; ++i) {
        p.add(op_kind::free, {last}, i);
    }
    return p;
}

struct raw_build {
    /// What a program must keep of a buffer that it depends on, uses and frees.
    struct buffer {
        CUgraphNode node;
        CUdeviceptr address;
        std::size_t size;  // in elements
    };
    CUgraph graph = nullptr;
    std::vector<CUgraphNode> nodes;
    std::vector<buffer> buffers;
    CUcontext context;
    CUfunction function;

    raw_build(const program& p, CUfunction kernel) : nodes(p.ops.size()), function(kernel) {
        buffers.reserve(p.allocations);
        ag::driver::check(cuCtxGetCurrent(&context), "cuCtxGetCurrent", {});
        ag::driver::check(cuGraphCreate(&graph, 0), "cuGraphCreate", {});
    }
    raw_build(const raw_build&) = delete;
    raw_build& operator=(const raw_build&) = delete;
    ~raw_build() { cuGraphDestroy(graph); }

    [[gnu::noinline]] void build(const program& p, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            const op& o = p.ops[i];
            CUgraphNode deps[most_deps];
            for (unsigned d = 0; d < o.dep_count; ++d) {
                deps[d] = nodes[o.deps[d]];
            }
            CUresult result = CUDA_SUCCESS;
            switch (o.kind) {
            case op_kind::alloc: {
                CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
                parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
                parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
                parameters.poolProps.location.id = 0;
                parameters.bytesize = elements * sizeof(float);
                result = cuGraphAddMemAllocNode(&nodes[i], graph, deps, o.dep_count, &parameters);
                buffers.push_back({nodes[i], parameters.dptr, elements});
                break;
            }
            case op_kind::memset: {
                CUDA_MEMSET_NODE_PARAMS parameters{};
                parameters.dst = buffers[o.allocation].address;
                parameters.elementSize = 4;
                parameters.width = buffers[o.allocation].size;
                parameters.height = 1;
                result = cuGraphAddMemsetNode(&nodes[i], graph, deps, o.dep_count, &parameters, context);
                break;
            }
            case op_kind::kernel: {
                int n = elements;
                float a = 2.0f;
                CUdeviceptr x = buffers[o.source].address;
                CUdeviceptr y = buffers[o.allocation].address;
                void* arguments[] = {&n, &a, &x, &y};
                CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
                parameters.func = function;
                parameters.gridDimX = elements / 256;
                parameters.gridDimY = parameters.gridDimZ = 1;
                parameters.blockDimX = 256;
                parameters.blockDimY = parameters.blockDimZ = 1;
                parameters.kernelParams = arguments;
                result = cuGraphAddKernelNode_v2(&nodes[i], graph, deps, o.dep_count, &parameters);
                break;
            }
            case op_kind::free:
                result = cuGraphAddMemFreeNode(&nodes[i], graph, deps, o.dep_count, buffers[o.allocation].address);
                break;
            }
            if (result != CUDA_SUCCESS) {
                std::fprintf(stderr, "overhead_shapes: node %zu: CUresult %d\n", i, static_cast<int>(result));
                std::exit(1);
            }
        }
    }
};

template <ag::checking Checks>
struct our_build {
    /// Without checks, a node has no use for more than the driver's handle.
    using held = std::conditional_t<Checks == ag::checking::on, ag::node, CUgraphNode>;
    static held hold(const ag::node& n) {
        if constexpr (Checks == ag::checking::on) {
            return n;
        } else {
            return n.get();
        }
    }
    ag::basic_graph<ag::graph_kind::memory, Checks> graph{ag::device{0}};
    std::vector<held> nodes;
    std::vector<ag::alloc_node<float, Checks>> tokens;
    ag::kernel<void(int, float, const float*, float*)> function;

    our_build(const program& p, CUfunction kernel) : nodes(p.ops.size()), function(kernel, "saxpy") {
        tokens.reserve(p.allocations);
    }

    [[gnu::noinline]] void build(const program& p, std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            const op& o = p.ops[i];
            held given[most_deps];
            for (unsigned d = 0; d < o.dep_count; ++d) {
                given[d] = nodes[o.deps[d]];
            }
            const std::span<const held> deps(given, o.dep_count);
            switch (o.kind) {
            case op_kind::alloc:
                tokens.push_back(graph.template add_alloc<float>(deps, elements));
                nodes[i] = hold(tokens.back());
                break;
            case op_kind::memset:
                nodes[i] = hold(graph.add_memset(deps, tokens[o.allocation].span(), 0.0f));
                break;
            case op_kind::kernel:
                nodes[i] = hold(graph.add_kernel(deps, function, ag::grid_for(elements), int{elements}, 2.0f,
                                                 tokens[o.source].data(), tokens[o.allocation].data()));
                break;
            case op_kind::free:
                nodes[i] = hold(graph.add_free(deps, std::move(tokens[o.allocation])));
                break;
            }
        }
    }
};

using unchecked_build = our_build<ag::checking::off>;
using checked_build = our_build<ag::checking::on>;

constexpr std::size_t variants = 4;
constexpr const char* variant_names[variants] = {"raw", "unchecked", "checked", "raw_again"};

/// Nanoseconds that this thread has run: adding a node waits for nobody, and what else the machine does counts not.
double processor_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// The variants in any order, the last one not first.
class turns {
public:
    const std::array<std::size_t, variants>& next() {
        const std::size_t last = order_.back();
        do {
            std::shuffle(order_.begin(), order_.end(), random_);
        } while (order_.front() == last);
        return order_;
    }

private:
    std::mt19937 random_{1};
    std::array<std::size_t, variants> order_{0, 1, 2, 3};
};

/// Nanoseconds a node of one round, by variant.
std::array<double, variants> time_round(const program& p, CUfunction kernel, turns& order) {
    constexpr std::size_t slice = 1000;
    std::optional<raw_build> raw;
    std::optional<unchecked_build> unchecked;
    std::optional<checked_build> checked;
    std::optional<raw_build> again;
    const auto one = [&](std::size_t variant, auto&& does) {
        switch (variant) {
        case 0:
            return does(raw);
        case 1:
            return does(unchecked);
        case 2:
            return does(checked);
        default:
            return does(again);
        }
    };
    const auto each = [&](auto&& does) {
        for (const std::size_t variant : order.next()) {
            one(variant, [&](auto& build) { does(variant, build); });
        }
    };
    std::array<double, variants> sum{};
    each([&](std::size_t, auto& build) { build.emplace(p, kernel); });
    for (std::size_t first = 0; first < p.ops.size(); first += slice) {
        const std::size_t end = std::min(first + slice, p.ops.size());
        each([&](std::size_t variant, auto& build) {
            const double begin = processor_time();
            build->build(p, first, end);
            sum[variant] += processor_time() - begin;
        });
    }
    for (double& total : sum) {
        total /= static_cast<double>(p.ops.size());
    }
    return sum;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// Stays on the processor it runs on. The driver's own threads, which were there before, do not.
void stay_here() {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
}

program draw(const std::string& shape, std::size_t nodes) {
    if (shape == "chain")
        return chain(nodes);
    if (shape == "wide")
        return wide(nodes);
    if (shape == "layered")
        return layered(nodes);
    if (shape == "random")
        return random_order(nodes);
    if (shape == "long_lived")
        return long_lived(nodes);
    throw std::runtime_error("no shape named " + shape + ": chain, wide, layered, random, long_lived");
}

template <class Build>
void count(const program& p, CUfunction kernel) {
    Build(p, kernel).build(p, 0, p.ops.size());
}

int run(int argc, char** argv) {
    const std::string mode = argc == 5 ? argv[1] : "";
    if (mode != "time" && mode != "count") {
        std::fprintf(stderr, "usage: overhead_shapes time SHAPE NODES ROUNDS | count SHAPE NODES VARIANT\n");
        return 2;
    }
    const ag::stream any_stream;  // starts the driver
    const program p = draw(argv[2], std::strtoull(argv[3], nullptr, 10));
    const saxpy_module module;
    const CUfunction kernel = module.kernel().function();
    if (mode == "count") {
        const std::string variant = argv[4];
        if (variant == "raw") {
            count<raw_build>(p, kernel);
        } else if (variant == "unchecked") {
            count<unchecked_build>(p, kernel);
        } else if (variant == "checked") {
            count<checked_build>(p, kernel);
        } else if (variant != "none") {
            throw std::runtime_error("no variant named " + variant + ": none, raw, unchecked, checked");
        }
        std::printf("%zu\n", p.ops.size());
        return 0;
    }
    stay_here();
    std::array<std::vector<double>, variants> times;
    std::array<std::vector<double>, variants> ratios;
    const std::size_t rounds = std::strtoull(argv[4], nullptr, 10);
    turns order;
    if (rounds > 1) {
        time_round(p, kernel, order);
    }
    for (std::size_t i = 0; i < rounds; ++i) {
        const auto round = time_round(p, kernel, order);
        for (std::size_t v = 0; v < variants; ++v) {
            times[v].push_back(round[v]);
            ratios[v].push_back(round[v] / round[0]);
        }
    }
    for (std::size_t v = 0; v < variants && rounds != 0; ++v) {
        std::printf("%s,%zu,%s,%.1f,%.4f\n", argv[2], p.ops.size(), variant_names[v], median(times[v]), median(ratios[v]));
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    // Freed memory stays with the process: after the first round no variant, nor the driver, pays for first touches of pages.
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, -1);
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "overhead_shapes: %s\n", error.what());
        return 1;
    }
}
