// Audits of graphs that the driver's own functions, a capture or the library built: what is read, and each finding.

#include <allograph/audit.hpp>
#include <allograph/capture.hpp>

#include "fixture.hpp"

namespace {

constexpr std::uint32_t none = ag::audit_report::none;
using access = ag::audit_report::access;

/// A graph by the driver alone.
class raw_graph {
public:
    raw_graph() {
        const ag::stream starts_the_driver;
        must(cuGraphCreate(&graph_, 0), "cuGraphCreate");
        must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    }
    explicit raw_graph(CUgraph inner) : graph_(inner), owned_(false) { must(cuCtxGetCurrent(&context), "cuCtxGetCurrent"); }
    raw_graph(const raw_graph&) = delete;
    raw_graph& operator=(const raw_graph&) = delete;
    ~raw_graph() {
        if (owned_) {
            cuGraphDestroy(graph_);
        }
    }
    operator CUgraph() const { return graph_; }

    using nodes = std::vector<CUgraphNode>;
    struct memory {
        CUgraphNode node = nullptr;
        CUdeviceptr address = 0;
    };

    memory alloc(std::size_t bytes, const nodes& after = {}) {
        CUDA_MEM_ALLOC_NODE_PARAMS params{};
        params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        params.bytesize = bytes;
        memory made;
        must(cuGraphAddMemAllocNode(&made.node, graph_, after.data(), after.size(), &params), "cuGraphAddMemAllocNode");
        made.address = params.dptr;
        return made;
    }
    CUgraphNode free(CUdeviceptr address, const nodes& after = {}) {
        CUgraphNode made = nullptr;
        must(cuGraphAddMemFreeNode(&made, graph_, after.data(), after.size(), address), "cuGraphAddMemFreeNode");
        return made;
    }
    CUgraphNode kernel(CUdeviceptr x, CUdeviceptr y, const nodes& after = {}) {
        int n = 0;
        float a = 2;
        void* arguments[] = {&n, &a, &x, &y};
        CUDA_KERNEL_NODE_PARAMS_v2 params{};
        params.func = test_kernels::scale_add().function();
        params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
        params.kernelParams = arguments;
        CUgraphNode made = nullptr;
        must(cuGraphAddKernelNode_v2(&made, graph_, after.data(), after.size(), &params), "cuGraphAddKernelNode_v2");
        return made;
    }
    CUgraphNode memset(CUdeviceptr address, std::size_t bytes, const nodes& after = {}, std::size_t pitch = 0,
                       std::size_t rows = 1) {
        CUDA_MEMSET_NODE_PARAMS params{};
        params.dst = address;
        params.elementSize = 1;
        params.width = bytes;
        params.height = rows;
        params.pitch = pitch;
        CUgraphNode made = nullptr;
        must(cuGraphAddMemsetNode(&made, graph_, after.data(), after.size(), &params, context), "cuGraphAddMemsetNode");
        return made;
    }
    CUgraphNode to_host(void* to, CUdeviceptr from, std::size_t bytes, const nodes& after = {}) {
        CUDA_MEMCPY3D copy{};
        copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
        copy.srcDevice = from;
        copy.dstMemoryType = CU_MEMORYTYPE_HOST;
        copy.dstHost = to;
        copy.WidthInBytes = bytes;
        copy.Height = copy.Depth = 1;
        CUgraphNode made = nullptr;
        must(cuGraphAddMemcpyNode(&made, graph_, after.data(), after.size(), &copy, context), "cuGraphAddMemcpyNode");
        return made;
    }
    CUgraphNode empty(const nodes& after = {}) {
        CUgraphNode made = nullptr;
        must(cuGraphAddEmptyNode(&made, graph_, after.data(), after.size()), "cuGraphAddEmptyNode");
        return made;
    }
    void edge(CUgraphNode from, CUgraphNode to) {
        must(cuGraphAddDependencies_v2(graph_, &from, &to, nullptr, 1), "cuGraphAddDependencies_v2");
    }

    /// A conditional, without more one that runs its body once.
    ag::audit_bodies conditional(const nodes& after = {}, CUgraphConditionalNodeType type = CU_GRAPH_COND_TYPE_IF,
                                 unsigned bodies = 1) {
        CUgraphConditionalHandle condition = 0;
        must(cuGraphConditionalHandleCreate(&condition, graph_, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT),
             "cuGraphConditionalHandleCreate");
        CUgraphNodeParams params{};
        params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
        params.conditional.handle = condition;
        params.conditional.type = type;
        params.conditional.size = bodies;
        params.conditional.ctx = context;
        CUgraphNode made = nullptr;
        must(cuGraphAddNode_v2(&made, graph_, after.data(), nullptr, after.size(), &params), "cuGraphAddNode_v2");
        return {made, {params.conditional.phGraph_out, params.conditional.phGraph_out + bodies}};
    }

    CUcontext context = nullptr;

private:
    CUgraph graph_ = nullptr;
    bool owned_ = true;
};

std::uint32_t id_of(const ag::audit_report& report, CUgraphNode handle) {
    for (std::uint32_t v = 0; v < report.nodes.size(); ++v) {
        if (report.nodes[v].handle == handle) {
            return v;
        }
    }
    FAIL("no such node in the report");
    return none;
}

/// The only finding.
const ag::audit_report::finding& only(const ag::audit_report& report, const char* rule) {
    INFO(report.text());
    REQUIRE(report.findings.size() == 1);
    CHECK(std::string(report.findings.front().rule) == rule);
    return report.findings.front();
}

/// What a use-after-free costs: a free beside the kernel that still uses the memory, whose bytes go to the next one.
struct early_free {
    raw_graph g;
    raw_graph::memory a = g.alloc(4096);
    CUgraphNode user = g.kernel(0, a.address, {a.node});
    CUgraphNode free = g.free(a.address, {a.node});
    raw_graph::memory b = g.alloc(4096, {free});
    CUgraphNode set = g.memset(b.address, 4096, {b.node});
    CUgraphNode last = g.free(b.address, {set});
};

}  // namespace

TEST_CASE("a graph with nothing wrong is read in full", "[audit][M3]") {
    const nothing_leaks guard;
    raw_graph g;
    const auto a = g.alloc(4096);
    const auto b = g.alloc(std::size_t{40} << 20, {a.node});
    const CUgraphNode set = g.memset(a.address, 4096, {a.node});
    const CUgraphNode k = g.kernel(a.address, b.address + 16, {b.node, set});
    char host[16] = {};
    const CUgraphNode copy = g.to_host(host, b.address, 16, {k});
    const CUgraphNode first = g.free(a.address, {k});
    const CUgraphNode second = g.free(b.address, {copy, first});

    ag::audit_options options;
    options.name = "clean";
    const ag::audit_report report = ag::audit(g, options);
    INFO(report.text());
    CHECK(report.clean());
    CHECK(report.name == "clean");
    REQUIRE(report.nodes.size() == 7);
    CHECK(report.edges.size() == 8);
    REQUIRE(report.allocations.size() == 2);
    const auto& x = report.allocations[0];
    const auto& y = report.allocations[1];
    CHECK(x.address == a.address);
    CHECK(x.bytes == 4096);
    CHECK(x.allocated_by == id_of(report, a.node));
    CHECK(x.freed_by == id_of(report, first));
    CHECK(y.freed_by == id_of(report, second));
    CHECK(x.first_level == 0);
    CHECK(x.last_level == 3);
    CHECK(y.last_level == 4);
    REQUIRE(x.uses.size() == 2);
    CHECK(x.uses[0].node == id_of(report, set));
    CHECK(x.uses[0].how == access::write);
    CHECK(x.uses[1].node == id_of(report, k));
    CHECK(x.uses[1].how == access::unknown);
    REQUIRE(y.uses.size() == 2);
    CHECK(y.uses[0].how == access::unknown);
    CHECK(y.uses[1].how == access::read);
    CHECK(report.nodes[id_of(report, k)].name == "scale_add");

    // What it will take is what a launch takes.
    const ag::stream stream;
    const ag::graph_memory memory(ag::device{0});
    memory.trim();
    memory.reset_highs();
    CUgraphExec exec = nullptr;
    must(cuGraphInstantiateWithFlags(&exec, g, 0), "cuGraphInstantiateWithFlags");
    must(cuGraphLaunch(exec, stream), "cuGraphLaunch");
    must(cuStreamSynchronize(stream), "cuStreamSynchronize");
    CHECK(report.memory.driver == memory.used_high());
    must(cuGraphExecDestroy(exec), "cuGraphExecDestroy");
    CHECK(report.memory.planned == (std::uint64_t{40} << 20) + 4096);
    CHECK(report.memory.lower_bound == report.memory.planned);
}

TEST_CASE("a use that is not ordered after its allocation", "[audit][O1]") {
    raw_graph g;
    const auto a = g.alloc(64);
    const CUgraphNode k = g.kernel(0, a.address);
    g.free(a.address, {a.node, k});
    const ag::audit_report report = ag::audit(g);
    const auto& f = only(report, "O1");
    CHECK(f.allocation == 0);
    CHECK(f.missing == std::vector<std::uint32_t>{id_of(report, a.node), id_of(report, k)});
    CHECK_THAT(f.message, ContainsSubstring("kernel 'scale_add' (node 1)"));
    CHECK(report.errors() == 1);
}

TEST_CASE("a use after the free is shown with the path that leads to it", "[audit][O2]") {
    raw_graph g;
    const auto a = g.alloc(64);
    const CUgraphNode free = g.free(a.address, {a.node});
    const CUgraphNode between = g.empty({free});
    const CUgraphNode k = g.kernel(0, a.address, {between});
    const ag::audit_report report = ag::audit(g);
    const auto& f = only(report, "O2");
    CHECK(f.path == std::vector<std::uint32_t>{id_of(report, free), id_of(report, between), id_of(report, k)});
    CHECK(f.overlaps == none);
}

TEST_CASE("a free too early names its users and whose bytes they touch by then", "[audit][O3][X9]") {
    const early_free program;
    const ag::audit_report report = ag::audit(program.g);
    const auto& f = only(report, "O3");
    CHECK(f.missing == std::vector<std::uint32_t>{id_of(report, program.user), id_of(report, program.free)});
    CHECK(program.b.address == program.a.address);
    CHECK(f.overlaps == 1);
    CHECK_THAT(f.message, ContainsSubstring("kernel 'scale_add'") && ContainsSubstring("[X9]"));
    CHECK_THAT(report.html(), ContainsSubstring("the free (node 2) of allocation 0"));
    CHECK_THAT(report.text(), ContainsSubstring("no path     from node 1 to node 2") &&
                                  ContainsSubstring("fix: let the free (node 2) depend on kernel"));
}

TEST_CASE("a free that is not ordered after its allocation", "[audit][O4]") {
    raw_graph g;
    const auto a = g.alloc(64);
    const CUgraphNode free = g.free(a.address);
    const ag::audit_report report = ag::audit(g);
    CHECK(only(report, "O4").missing == std::vector<std::uint32_t>{id_of(report, a.node), id_of(report, free)});
    CHECK(report.allocations[0].freed_by == id_of(report, free));
}

TEST_CASE("a late edge heals or breaks a graph", "[audit][O3][D6]") {
    early_free program;
    program.g.edge(program.user, program.free);
    CHECK(ag::audit(program.g).clean());
}

TEST_CASE("a race needs the same bytes, a write and no order", "[audit][O6]") {
    raw_graph g;
    const auto a = g.alloc(1024);
    char host[1024] = {};
    const CUgraphNode left = g.memset(a.address, 512, {a.node});
    const CUgraphNode right = g.memset(a.address + 512, 512, {a.node});
    raw_graph::nodes users{left, right};
    SECTION("other bytes") {
        g.free(a.address, users);
        CHECK(ag::audit(g).clean());
    }
    SECTION("two reads") {
        users = {g.to_host(host, a.address, 1024, users), g.to_host(host, a.address, 512, users)};
        g.free(a.address, users);
        CHECK(ag::audit(g).clean());
    }
    SECTION("a kernel, whose direction is not known") {
        users.push_back(g.kernel(0, a.address, {a.node}));
        g.free(a.address, users);
        CHECK(ag::audit(g).clean());
    }
    SECTION("a read beside a write") {
        const CUgraphNode read = g.to_host(host, a.address + 256, 512, {left});
        users.push_back(read);
        g.free(a.address, users);
        const ag::audit_report report = ag::audit(g);
        CHECK(only(report, "O6").nodes == std::vector<std::uint32_t>{id_of(report, right), id_of(report, read)});
    }
    SECTION("columns side by side") {
        users.push_back(g.memset(a.address, 16, {left, right}, 64, 8));
        users.push_back(g.memset(a.address + 16, 16, {left, right}, 64, 8));
        g.free(a.address, users);
        CHECK(ag::audit(g).clean());
    }
}

TEST_CASE("an allocation that nothing frees is noted, unless somebody says whose it is", "[audit][F10]") {
    raw_graph g;
    const auto a = g.alloc(64);
    g.memset(a.address, 64, {a.node});
    const ag::audit_report report = ag::audit(g);
    CHECK(only(report, "F10").severity == ag::audit_report::severity::note);
    CHECK(report.errors() == 0);
    CHECK(report.allocations[0].freed_by == none);
    ag::audit_options automatic;
    automatic.auto_free_on_launch = true;
    CHECK(ag::audit(g, automatic).clean());
    ag::audit_options output;
    output.outputs = {a.address};
    CHECK(ag::audit(g, output).clean());
}

TEST_CASE("a free of another graph's allocation is noted", "[audit][X6]") {
    raw_graph maker;
    const auto a = maker.alloc(64);
    raw_graph g;
    const CUgraphNode free = g.free(a.address);
    const ag::audit_report report = ag::audit(g);
    const auto& f = only(report, "X6");
    CHECK(f.severity == ag::audit_report::severity::note);
    CHECK(f.nodes == std::vector<std::uint32_t>{id_of(report, free)});
    CHECK_THAT(f.message, ContainsSubstring(ag::detail::hex_text(a.address)));
}

TEST_CASE("a cycle is named, and nothing else is judged", "[audit][D7]") {
    raw_graph g;
    const CUgraphNode first = g.empty();
    const CUgraphNode second = g.empty({first});
    g.empty({second});
    g.edge(second, first);
    const ag::audit_report report = ag::audit(g);
    CHECK(only(report, "D7").nodes.size() == 2);
    CHECK_FALSE(report.limits.empty());
    CHECK_FALSE(report.text().empty());
    CHECK_FALSE(report.dot().empty());
}

TEST_CASE("the bodies of conditionals are read, and what they use counts for their node", "[audit][C9][C8][C10]") {
    raw_graph g;
    const auto a = g.alloc(64);
    const ag::audit_bodies when = g.conditional({a.node});
    raw_graph body(when.bodies.front());
    const CUgraphNode k = body.kernel(0, a.address);
    ag::audit_options options;
    options.bodies = {when};
    SECTION("freed behind the conditional") {
        g.free(a.address, {when.conditional});
        const ag::audit_report report = ag::audit(g, options);
        INFO(report.text());
        CHECK(report.clean());
        CHECK(report.nodes[id_of(report, k)].parent == id_of(report, when.conditional));
        REQUIRE(report.allocations[0].uses.size() == 1);
        CHECK(report.allocations[0].uses[0].node == id_of(report, k));
        // Without being told the driver's own picture says it.
        const ag::audit_report found = ag::audit(g);
        CHECK(found.clean());
        CHECK(found.json() == report.json());
    }
    SECTION("freed beside it") {
        const CUgraphNode free = g.free(a.address, {a.node});
        const ag::audit_report report = ag::audit(g, options);
        CHECK(only(report, "O3").missing == std::vector<std::uint32_t>{id_of(report, k), id_of(report, free)});
    }
    SECTION("an allocation inside") {
        g.free(a.address, {when.conditional});
        const auto inside = body.alloc(64, {k});
        body.free(inside.address, {inside.node});
        const ag::audit_report report = ag::audit(g, options);
        CHECK(only(report, "C8").nodes ==
              std::vector<std::uint32_t>{id_of(report, when.conditional), id_of(report, inside.node)});
    }
    SECTION("a free inside") {
        CUgraphNode free = nullptr;
        must(cuGraphAddMemFreeNode(&free, body, &k, 1, a.address), "cuGraphAddMemFreeNode");
        CHECK(only(ag::audit(g, options), "C10").severity == ag::audit_report::severity::error);
    }
}

TEST_CASE("children are read, and their memory is theirs until their parent frees it", "[audit][C9][C15]") {
    SECTION("a copy that uses its parent's memory") {
        raw_graph inner;
        raw_graph g;
        const auto a = g.alloc(64);
        inner.kernel(0, a.address);
        CUgraphNode child = nullptr;
        must(cuGraphAddChildGraphNode(&child, g, &a.node, 1, inner), "cuGraphAddChildGraphNode");
        SECTION("freed behind it") {
            g.free(a.address, {child});
            const ag::audit_report report = ag::audit(g);
            CHECK(report.clean());
            CHECK(report.nodes.back().parent == id_of(report, child));
        }
        SECTION("freed beside it") {
            g.free(a.address, {a.node});
            only(ag::audit(g), "O3");
        }
    }
#if CUDA_VERSION >= 12090
    SECTION("moved, with memory that its parent frees") {
        CUgraph inner = nullptr;
        must(cuGraphCreate(&inner, 0), "cuGraphCreate");
        raw_graph filled(inner);
        const auto a = filled.alloc(64);
        filled.memset(a.address, 64, {a.node});
        raw_graph g;
        const CUgraphNode child = ag::driver::graph_move_child_graph(g, {}, inner, {__FILE__, __LINE__});
        SECTION("behind it") {
            g.free(a.address, {child});
            const ag::audit_report report = ag::audit(g);
            INFO(report.text());
            CHECK(report.clean());
            CHECK(report.allocations[0].uses.size() == 1);
        }
        SECTION("too early") {
            g.free(a.address);
            CHECK(only(ag::audit(g), "O3").allocation == 0);
        }
    }
#endif
}

TEST_CASE("arguments of kernels are read however they were given", "[audit][O3]") {
    raw_graph g;
    const auto a = g.alloc(4096);
    const auto b = g.alloc(4096);
    CUDA_KERNEL_NODE_PARAMS_v2 params{};
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    int n = 0;
    float factor = 1;
    CUdeviceptr x = a.address + 4095, y = b.address + 4096;  // the last byte, and one behind it
    void* arguments[] = {&n, &factor, &x, &y};
    struct packed_arguments {
        int n;
        float a;
        CUdeviceptr x;
        CUdeviceptr y;
    } packed{n, factor, x, y};
    std::size_t size = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    SECTION("by pointer") {
        params.kernelParams = arguments;
        params.func = test_kernels::scale_add().function();
    }
    SECTION("packed") {
        params.extra = extra;
        params.func = test_kernels::scale_add().function();
    }
    SECTION("of a library") {
        params.kernelParams = arguments;
        params.kern = test_kernels::detail::library_kernel("scale_add");
        params.ctx = g.context;
    }
    REQUIRE((params.func != nullptr || params.kern != nullptr));
    CUgraphNode k = nullptr;
    must(cuGraphAddKernelNode_v2(&k, g, nullptr, 0, &params), "cuGraphAddKernelNode_v2");
    const ag::audit_report report = ag::audit(g);
    REQUIRE(report.allocations.size() == 2);
    REQUIRE(report.allocations[0].uses.size() == 1);
    CHECK(report.allocations[0].uses[0].node == id_of(report, k));
    CHECK(report.allocations[1].uses.empty());
}

TEST_CASE("graphs that the library built and captured are clean", "[audit][A12][C12]") {
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<float>(256);
    auto set = g.add_memset(ag::after(x), x.span(), 0.0f);
    g.add_free(ag::after(set), std::move(x));
    auto scope = std::move(g).capture(stream, ag::after(set));
    CUdeviceptr address = 0;
    must(cuMemAllocAsync(&address, 1024, stream), "cuMemAllocAsync");
    must(cuMemsetD8Async(address, 1, 1024, stream), "cuMemsetD8Async");
    must(cuMemFreeAsync(address, stream), "cuMemFreeAsync");
    auto [graph, captured] = std::move(scope).end();
    const ag::audit_report report = ag::audit(graph.get());
    INFO(report.text());
    CHECK(report.clean());
    CHECK(report.allocations.size() == 2);
}

TEST_CASE("what the driver refuses to tell is a limit, and the rest is read", "[audit][A15]") {
    early_free program;
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when it is told to");
    }
    REQUIRE(allograph_reference_fail("cuGraphKernelNodeGetParams_v2", 1, CUDA_ERROR_UNKNOWN));
    const ag::audit_report report = ag::audit(program.g);
    CHECK(report.clean());
    CHECK(report.allocations.size() == 2);
    REQUIRE_FALSE(report.limits.empty());
    CHECK_THAT(report.limits.front(),
               ContainsSubstring("could not be read in full: 1") && ContainsSubstring("cuGraphKernelNodeGetParams_v2"));
}

TEST_CASE("a driver that does not draw conditionals leaves their bodies a limit", "[audit][faults][C9]") {
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when it is told to");
    }
    raw_graph g;
    const auto a = g.alloc(64);
    const auto when = g.conditional({a.node});
    g.free(a.address, {when.conditional});
    raw_graph(when.bodies.front()).kernel(0, a.address);
    REQUIRE(ag::audit(g).limits.size() == 1);  // what is said of every kernel
    REQUIRE(allograph_reference_fail("cuGraphDebugDotPrint", 1, CUDA_ERROR_OUT_OF_MEMORY));
    const ag::audit_report report = ag::audit(g);
    allograph_reference_clear_failures();
    CHECK(report.nodes.size() == 3);
    REQUIRE(report.limits.size() == 1);
    CHECK_THAT(report.limits.front(), ContainsSubstring("node 1 could not be read") && ContainsSubstring("cuGraphDebugDotPrint"));
}

TEST_CASE("what is no graph is a driver error", "[audit]") {
    const ag::stream starts_the_driver;
    CHECK(driver_error_of([] { (void)ag::audit(nullptr); }).call() == std::string("cuGraphGetNodes"));
}

TEST_CASE("every kind of conditional is read, and conditionals inside of conditionals", "[audit][C9]") {
    raw_graph g;
    const auto a = g.alloc(64);
    ag::audit_options options;
    options.bodies.push_back(g.conditional({a.node}, CU_GRAPH_COND_TYPE_WHILE, 1));
#if CUDA_VERSION >= 12080
    options.bodies.push_back(g.conditional({options.bodies.back().conditional}, CU_GRAPH_COND_TYPE_IF, 2));
    options.bodies.push_back(g.conditional({options.bodies.back().conditional}, CU_GRAPH_COND_TYPE_SWITCH, 3));
#endif
    g.free(a.address, {options.bodies.back().conditional});
    std::size_t nodes = 2;
    for (std::size_t i = 0, outer = options.bodies.size(); i < outer; ++i) {
        ++nodes;
        const std::vector<CUgraph> bodies = options.bodies[i].bodies;
        for (const CUgraph each : bodies) {
            raw_graph body(each);
            const CUgraphNode k = body.kernel(0, a.address);
            options.bodies.push_back(body.conditional({k}));
            raw_graph(options.bodies.back().bodies.front()).kernel(0, a.address);
            nodes += 3;
        }
    }
    const ag::audit_report report = ag::audit(g, options);
    INFO(report.text());
    CHECK(report.clean());
    CHECK(report.nodes.size() == nodes);
    // Without being told: all of it, or it says what is missing.
    const ag::audit_report found = ag::audit(g);
    if (found.json() != report.json()) {
        CHECK_FALSE(allograph_reference_active());
        CHECK(found.nodes.size() < nodes);
        CHECK_THAT(found.text(), ContainsSubstring("of conditional node ") && ContainsSubstring("could not be read"));
        WARN("not all of it is in the driver's picture:\n" << found.text());
    }
}

TEST_CASE("a driver's picture names the nodes inside of conditionals", "[audit][C9]") {
    // As a driver of CUDA 13.0 draws an empty node, a conditional with an else, a kernel and an allocation.
    const ag::detail::audit_picture picture(
        "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n"
        "\"graph_1_node_0\"[style=\"solid\" shape=\"rectangle\" label=\"0\nEMPTY\nnode handle: 0x00000000000000A0\n\"];\n\n"
        "\"graph_1_node_1\"[style=\"bold\" shape=\"record\" label=\"{\nCONDITIONAL\n| {ID | 1}\n| {node handle| "
        "0x00000000000000B0}\n"
        "| {Conditional Type| IF}\n| {True|graph_2}\n| {{False | graph_3}}\n}\n\"];\n\n"
        "\"graph_1_node_0\" -> \"graph_1_node_1\"[headlabel=0];\n}\nsubgraph cluster_2 {\n"
        "\"graph_2_node_0\"[style=\"bold\" shape=\"record\" label=\"{KERNEL\n| {ID | 0 | k\\<\\<\\<1,1,0\\>\\>\\>}\n"
        "| {{node handle | func handle} | {0x00000000000000C0 | 0x00000000000000D0}}\n}\"];\n}\nsubgraph cluster_3 {\n"
        "\"graph_3_node_0\"[style=\"solid\" shape=\"record\" label=\"{\nMEM_ALLOC\n| {{ID | node handle} | {0 | "
        "0x00000000000000E0}}\n}\"];\n}\n}\n");
    CHECK(picture.shows({0xB0, 0xA0}));
    CHECK_FALSE(picture.shows({0xA0}));
    const auto handle = [](std::uintptr_t value) { return reinterpret_cast<CUgraphNode>(value); };
    std::vector<std::vector<CUgraphNode>> graphs;
    REQUIRE(picture.find(handle(0xB0), graphs));
    CHECK(graphs == std::vector<std::vector<CUgraphNode>>{{handle(0xC0)}, {handle(0xE0)}});
    graphs.clear();
    CHECK_FALSE(picture.find(handle(0xA0), graphs));
    CHECK_FALSE(ag::detail::audit_picture().find(handle(0xB0), graphs));
    CHECK(graphs.empty());
}
