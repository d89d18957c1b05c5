// Programs built by a plan: the same results as unplanned, and the order of the program, no more and no less.

#include <map>

#include <allograph/plan.hpp>

#include "../unit/plan_programs.hpp"
#include "fixture.hpp"

using namespace plan_test;
using namespace ag::literals;

namespace {

/// Who comes before whom in a graph of the driver, read back from it.
class built_order {
public:
    explicit built_order(CUgraph graph) {
        std::size_t count = node_count(graph);
        nodes.resize(count);
        if (count != 0) {
            must(cuGraphGetNodes(graph, nodes.data(), &count), "cuGraphGetNodes");
        }
        for (std::size_t i = 0; i < count; ++i) {
            place_[nodes[i]] = i;
        }
        std::size_t edges = 0;
        must(cuGraphGetEdges_v2(graph, nullptr, nullptr, nullptr, &edges), "cuGraphGetEdges_v2");
        std::vector<CUgraphNode> from(edges), to(edges);
        if (edges != 0) {
            must(cuGraphGetEdges_v2(graph, from.data(), to.data(), nullptr, &edges), "cuGraphGetEdges_v2");
        }
        edge_count = edges;
        before_.assign(count, std::vector<bool>(count, false));
        for (std::size_t e = 0; e < edges; ++e) {
            CHECK(!before_[place_.at(to[e])][place_.at(from[e])]);  // no edge twice
            before_[place_.at(to[e])][place_.at(from[e])] = true;
        }
        for (std::size_t k = 0; k < count; ++k) {
            for (std::size_t i = 0; i < count; ++i) {
                for (std::size_t j = 0; before_[i][k] && j < count; ++j) {
                    before_[i][j] = before_[i][j] || before_[k][j];
                }
            }
        }
    }
    [[nodiscard]] bool before(CUgraphNode first, CUgraphNode second) const {
        return before_[place_.at(second)][place_.at(first)];
    }

    [[nodiscard]] std::vector<CUgraphNode> of_type(CUgraphNodeType wanted) const {
        std::vector<CUgraphNode> found;
        for (const CUgraphNode n : nodes) {
            CUgraphNodeType type{};
            must(cuGraphNodeGetType(n, &type), "cuGraphNodeGetType");
            if (type == wanted) {
                found.push_back(n);
            }
        }
        return found;
    }

    std::vector<CUgraphNode> nodes;
    std::size_t edge_count = 0;

private:
    std::map<CUgraphNode, std::size_t> place_;
    std::vector<std::vector<bool>> before_;
};

/// The device addresses that a node touches.
std::vector<CUdeviceptr> addresses_of(CUgraphNode node) {
    CUgraphNodeType type{};
    must(cuGraphNodeGetType(node, &type), "cuGraphNodeGetType");
    if (type == CU_GRAPH_NODE_TYPE_MEMSET) {
        CUDA_MEMSET_NODE_PARAMS p{};
        must(cuGraphMemsetNodeGetParams(node, &p), "cuGraphMemsetNodeGetParams");
        return {p.dst};
    }
    if (type == CU_GRAPH_NODE_TYPE_MEMCPY) {
        CUDA_MEMCPY3D p{};
        must(cuGraphMemcpyNodeGetParams(node, &p), "cuGraphMemcpyNodeGetParams");
        return {p.dstDevice, p.srcDevice};
    }
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) {  // scale_add
        CUDA_KERNEL_NODE_PARAMS_v2 p{};
        must(cuGraphKernelNodeGetParams_v2(node, &p), "cuGraphKernelNodeGetParams_v2");
        return {*static_cast<CUdeviceptr*>(p.kernelParams[2]), *static_cast<CUdeviceptr*>(p.kernelParams[3])};
    }
    return {};
}

/// The arena of a graph: its allocation, its free, and where it lies.
struct arena_nodes {
    CUgraphNode made;
    CUgraphNode freed;
    CUdeviceptr begin;
    CUdeviceptr end;
};
std::vector<arena_nodes> arenas_of(const built_order& order) {
    std::vector<arena_nodes> arenas;
    for (const CUgraphNode free : order.of_type(CU_GRAPH_NODE_TYPE_MEM_FREE)) {
        CUdeviceptr address = 0;
        must(cuGraphMemFreeNodeGetParams(free, &address), "cuGraphMemFreeNodeGetParams");
        for (const CUgraphNode alloc : order.of_type(CU_GRAPH_NODE_TYPE_MEM_ALLOC)) {
            CUDA_MEM_ALLOC_NODE_PARAMS p{};
            must(cuGraphMemAllocNodeGetParams(alloc, &p), "cuGraphMemAllocNodeGetParams");
            if (p.dptr == address) {
                arenas.push_back({alloc, free, address, address + p.bytesize});
            }
        }
    }
    return arenas;
}

template <class Exec>
std::vector<std::vector<float>> results_of(Exec& exec, ag::stream& stream) {
    std::vector<std::vector<float>> all;
    for (const auto& buffer : exec.launch(stream)) {
        all.push_back(contents(buffer));
    }
    return all;
}

bool same_bits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].size() != b[i].size() || std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) != 0) {
            return false;
        }
    }
    return true;
}

constexpr auto pipeline = [](auto& g, std::size_t n, const test_kernels::scale_add_kernel& scale_add,
                             const std::vector<float>& input) {
    auto x = g.template add_alloc<float>(n, ag::named("x"));
    auto in = g.add_memcpy(ag::after(x), x.span(), input);
    auto y = g.template add_alloc<float>(ag::after(x), n, ag::named("y"));
    auto ones = g.add_memset(ag::after(y), y.span(), 1.0f);
    auto k = g.add_kernel(ag::after(in, ones), scale_add, ag::grid_for(n), static_cast<int>(n), 2.0f, x.data(), y.data());
    auto gone = g.add_free(ag::after(k), std::move(x));
    auto t = g.template add_alloc<float>(ag::after(gone), n, ag::named("t"));
    auto copy = g.add_memcpy(ag::after(t), t.span(), y.span());
    auto back = g.add_kernel(ag::after(copy), scale_add, ag::grid_for(n), static_cast<int>(n), 1.0f, t.data(), y.data());
    g.add_free(ag::after(back), std::move(t));
    return ag::outputs(std::move(y));
};

}  // namespace

TEST_CASE("random programs give the same bits planned and unplanned, in the order of the program", "[plan]") {
    const nothing_leaks at_the_end;
    ag::stream stream;
    const auto kernel = test_kernels::scale_add();
    std::size_t vanished = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        program_style style;
        style.ops = 12 + static_cast<unsigned>(seed % 60);
        style.live = 2 + static_cast<unsigned>(seed % 7);
        style.late_edges = seed % 2 == 0;
        const program p = random_program(seed, style);
        INFO("seed " << seed);
        allograph_reference_set_order_seed(seed);

        auto unplanned = ag::build(ag::device{0}, ag::unplanned, run_drawn{}, p, kernel);
        const auto expected = results_of(unplanned, stream);
        std::vector<CUgraphNode> handles;
        auto planned = ag::build(ag::device{0}, run_drawn{}, p, kernel, &handles);
        STATIC_REQUIRE(std::is_same_v<decltype(planned), decltype(unplanned)>);
        REQUIRE(same_bits(results_of(planned, stream), expected));
        REQUIRE(same_bits(results_of(planned, stream), expected));  // again, over what the first launch left

        auto released = std::move(planned).release_graph();
        ag::memory_graph& graph = std::get<0>(released);
        const built_order order(graph.get());
        const auto arenas = arenas_of(order);
        REQUIRE(arenas.size() <= 1);
        for (const arena_nodes& arena : arenas) {
            for (const CUgraphNode n : order.nodes) {
                for (const CUdeviceptr address : addresses_of(n)) {
                    if (address >= arena.begin && address < arena.end) {
                        REQUIRE(order.before(arena.made, n));
                        REQUIRE(order.before(n, arena.freed));
                    }
                }
            }
            REQUIRE(order.before(arena.made, arena.freed));
        }
        std::size_t kept = 0;
        for (unsigned b = 0; b < p.ops.size(); ++b) {
            kept += handles[b] != nullptr ? 1 : 0;
            for (unsigned a = 0; a < p.ops.size(); ++a) {
                if (a != b && handles[a] != nullptr && handles[b] != nullptr) {
                    REQUIRE(order.before(handles[a], handles[b]) == p.ordered(a, b));
                }
            }
        }
        vanished += p.ops.size() - kept;
        // What was added is an arena and, at most, an empty node for each that vanished; edges never multiply.
        std::size_t edges_before = 0;
        for (const op& o : p.ops) {
            edges_before += o.deps.size() + (o.kind == op_kind::edge ? 1 : 0) + (o.inferred ? 8 : 0);
        }
        REQUIRE(order.edge_count <= edges_before + 2 * p.ops.size());
    }
    allograph_reference_set_order_seed(0);
    CHECK(vanished > 1000);
}

TEST_CASE("programs made to fit give the same bits, with all of their order and the added one", "[plan][fit]") {
    const nothing_leaks at_the_end;
    ag::stream stream;
    const auto kernel = test_kernels::scale_add();
    unsigned with_edges = 0;
    for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
        program_style style;
        style.ops = 24 + static_cast<unsigned>(seed % 40);
        style.extra_order = 0;
        const program p = random_program(seed, style);
        INFO("seed " << seed);
        const ag::memory_plan free = ag::plan(run_drawn{}, p, kernel);
        const ag::memory_plan plan = ag::plan(ag::fit(free.arena_bytes() * 3 / 4), run_drawn{}, p, kernel);
        with_edges += plan.added_edges().empty() ? 0 : 1;
        auto unplanned = ag::build(ag::device{0}, ag::unplanned, run_drawn{}, p, kernel);
        const auto expected = results_of(unplanned, stream);
        std::vector<CUgraphNode> handles;
        auto planned = ag::build(ag::device{0}, plan, run_drawn{}, p, kernel, &handles);
        REQUIRE(same_bits(results_of(planned, stream), expected));
        auto released = std::move(planned).release_graph();
        const built_order order(std::get<0>(released).get());
        for (unsigned b = 0; b < p.ops.size(); ++b) {
            for (unsigned a = 0; a < p.ops.size(); ++a) {
                if (p.ordered(a, b) && handles[a] != nullptr && handles[b] != nullptr) {
                    REQUIRE(order.before(handles[a], handles[b]));
                }
            }
        }
    }
    CHECK(with_edges > 20);
}

TEST_CASE("a pipeline planned is an arena, its nodes, and an allocation for what leaves", "[plan]") {
    const nothing_leaks at_the_end;
    ag::stream stream;
    const std::vector<float> input(1000, 3.0f);
    const auto kernel = test_kernels::scale_add();
    const ag::memory_plan plan = ag::plan(pipeline, std::size_t{1000}, kernel, input);
    CHECK(plan.arena_bytes() == 4096);
    auto exec = ag::build(ag::device{0}, plan, pipeline, std::size_t{1000}, kernel, input);
    {
        auto [y] = exec.launch(stream);
        CHECK(contents(y) == std::vector<float>(1000, 14.0f));
        CHECK(std::string(misuse_of([&] { (void)exec.launch(stream); }).rule()) == "X1");
    }
    auto [graph, y] = std::move(exec).release_graph();
    const built_order order(graph.get());
    CHECK(order.of_type(CU_GRAPH_NODE_TYPE_MEM_ALLOC).size() == 2);
    CHECK(order.of_type(CU_GRAPH_NODE_TYPE_MEM_FREE).size() == 1);
    CHECK(order.nodes.size() == 8);
    auto again = std::move(graph).instantiate(ag::auto_free(std::move(y)));
    (void)again.launch(stream);
    stream.synchronize();
}

TEST_CASE("a program that returns nothing, and one that plans nothing", "[plan]") {
    const nothing_leaks at_the_end;
    ag::stream stream;
    std::vector<float> result(64);
    const auto nothing = [](auto& g, std::vector<float>& to) {
        auto x = g.template add_alloc<float>(64);
        auto set = g.add_memset(ag::after(x), x.span(), 2.5f);
        auto out = g.add_memcpy(ag::after(set), to, x.span());
        g.add_free(ag::after(out), std::move(x));
    };
    auto exec = ag::build(ag::device{0}, [&](auto& g) { nothing(g, result); });
    STATIC_REQUIRE(std::is_same_v<decltype(exec), ag::graph_exec<ag::graph_kind::memory, ag::checking::on>>);
    exec.launch(stream);
    stream.synchronize();
    CHECK(result == std::vector<float>(64, 2.5f));

    int called = 0;
    auto empty = ag::build(ag::device{0}, [&](auto& g) { g.add_host(ag::after(g.add_empty()), [&called] { ++called; }); });
    empty.launch(stream);
    stream.synchronize();
    CHECK(called == 1);
    auto graph = std::move(empty).release_graph();
    CHECK(node_count(graph.get()) == 2);

    auto kept = ag::build(ag::device{0}, [](auto& g) {
        auto x = g.template add_alloc<float>(64);
        g.add_memset(ag::after(x), x.span(), 1.0f);
        return ag::auto_free(std::move(x));
    });
    for (int i = 0; i < 2; ++i) {
        auto [x] = kept.launch(stream);
        CHECK(contents(x, stream.get()) == std::vector<float>(64, 1.0f));
    }
}

TEST_CASE("where vanishing would multiply edges an empty node stands in", "[plan]") {
    constexpr int width = 20;
    const auto program = [](auto& g) {
        std::vector<ag::node> first;
        auto x = g.template add_alloc<float>(64);
        for (int i = 0; i < width; ++i) {
            first.push_back(g.add_memset(ag::after(x), x.span().subspan(static_cast<std::size_t>(i), 1), 1.0f));
        }
        auto gone = g.add_free(first, std::move(x));
        auto y = g.template add_alloc<float>(ag::after(gone), 64);
        std::vector<ag::node> second;
        for (int i = 0; i < width; ++i) {
            second.push_back(g.add_memset(ag::after(y), y.span().subspan(static_cast<std::size_t>(i), 1), 1.0f));
        }
        g.add_free(second, std::move(y));
    };
    auto graph = ag::build(ag::device{0}, program).release_graph();
    const built_order order(graph.get());
    CHECK(order.of_type(CU_GRAPH_NODE_TYPE_EMPTY).size() == 1);
    CHECK(order.nodes.size() == 2 * width + 3);
    CHECK(order.edge_count == 4 * width);
}

TEST_CASE("a program that does something else when it is built is stopped", "[plan]") {
    const nothing_leaks at_the_end;
    int runs = 0;
    const auto run = [&](auto&& middle) {
        runs = 0;
        return misuse_of([&] {
            (void)ag::build(ag::device{0}, [&](auto& g) {
                auto x = g.template add_alloc<float>(64);
                auto y = g.template add_alloc<float>(ag::after(x), 64);
                const bool again = runs++ == 1;
                middle(g, x, y, again);
                g.add_free(ag::inferred, std::move(x));
                g.add_free(ag::inferred, std::move(y));
            });
        });
    };
    const auto check = [&](const ag::misuse& mistake, const char* text) {
        CHECK(std::string(mistake.rule()) == "plan");
        CHECK_THAT(mistake.what(), ContainsSubstring("does not do the same when it is built as when it was planned"));
        CHECK_THAT(mistake.what(), ContainsSubstring(text));
    };
    check(run([](auto& g, auto& x, auto&, bool again) { g.add_memset(ag::inferred, x.span().first(again ? 32 : 16), 1.0f); }),
          "node 2 is another");
    check(run([](auto& g, auto& x, auto& y, bool again) { g.add_memset(ag::inferred, again ? y.span() : x.span(), 1.0f); }),
          "node 2 is another");
    check(run([](auto& g, auto& x, auto& y, bool again) {
              again ? (void)g.add_empty(ag::after(x)) : (void)g.add_memset(ag::after(y), x.span(), 1.0f);
          }),
          "now        planned.cpp");
    check(run([](auto& g, auto& x, auto& y, bool again) { g.add_memset(again ? ag::after(x) : ag::after(y), x.span(), 1.0f); }),
          "dependencies");
    check(run([](auto& g, auto&, auto&, bool again) {
              if (again) {
                  g.add_empty();
              }
          }),
          "node 2 is another");
    check(run([](auto& g, auto&, auto&, bool again) {
              if (!again) {
                  g.add_empty();
              }
          }),
          "node 2 is another");
    check(run([](auto& g, auto& x, auto& y, bool again) {
              const ag::node a = g.add_empty(ag::after(x));
              const ag::node b = g.add_empty(ag::after(y));
              if (!again) {
                  g.add_dependency(a, b);
              }
          }),
          "edges between them");
}

TEST_CASE("a plan of another program is refused", "[plan]") {
    const std::vector<float> input(1000, 3.0f);
    const auto kernel = test_kernels::scale_add();
    const ag::memory_plan plan = ag::plan(pipeline, std::size_t{1000}, kernel, input);
    const std::vector<float> more(1001, 3.0f);
    const auto refused = [&](const ag::misuse& mistake, const char* text) {
        CHECK(std::string(mistake.rule()) == "plan");
        CHECK_THAT(mistake.what(), ContainsSubstring("this plan is one of another program"));
        CHECK_THAT(mistake.what(), ContainsSubstring(text));
    };
    refused(misuse_of([&] { (void)ag::build(ag::device{0}, plan, pipeline, std::size_t{1001}, kernel, more); }),
            "x: float[1000]");
    refused(misuse_of([&] { (void)ag::build(ag::device{0}, plan, [](auto& g) { g.add_empty(); }); }),
            "the plan is of 10 nodes, the program makes 1");
    // Loaded from a text that was tampered with: both at offset 0, alive at once.
    const auto two = [](auto& g) {
        auto x = g.template add_alloc<float>(128);
        auto y = g.template add_alloc<float>(128);
        g.add_free(ag::after(x), std::move(x));
        g.add_free(ag::after(y), std::move(y));
    };
    std::string text = ag::plan(two).save();
    const std::size_t at = text.find(" 0 512 512 128");
    REQUIRE(at != std::string::npos);
    text.replace(at, 14, " 0 0 512 128");
    refused(misuse_of([&] { (void)ag::build(ag::device{0}, ag::memory_plan::load(text), two); }),
            "share bytes that are alive at once");
    auto exec = ag::build(ag::device{0}, ag::memory_plan::load(ag::plan(two).save()), two);
    CHECK(exec.get() != nullptr);
}

TEST_CASE("a build that cannot be made to fit says by how much", "[plan][fit]") {
    const auto both = [](auto& g) {
        auto x = g.template add_alloc<float>(1024, ag::named("x"));
        auto y = g.template add_alloc<float>(1024, ag::named("y"));
        auto m = g.add_memset(ag::after(x, y), x.span(), 1.0f);
        g.add_free(ag::after(m), std::move(x));
        g.add_free(ag::after(m), std::move(y));
    };
    const ag::misuse mistake = misuse_of([&] { (void)ag::build(ag::device{0}, ag::fit(4_KiB), both); });
    CHECK(std::string(mistake.rule()) == "fit");
    CHECK_THAT(mistake.what(), ContainsSubstring("does not fit 4 KiB (4096 bytes): it takes 4096 bytes more"));
    CHECK_THAT(mistake.what(), ContainsSubstring("planned.cpp:"));
}

TEST_CASE("alignment beyond the driver's holds for addresses", "[plan]") {
    auto graph = ag::build(ag::device{0}, ag::plan_options{}.align(1_MiB), [](auto& g) {
                     auto first = g.template add_alloc<float>(8);
                     auto m = g.add_memset(ag::after(first), first.span(), 1.0f);
                     auto second = g.template add_alloc<float>(ag::after(first), 8);
                     auto n = g.add_memset(ag::after(second, m), second.span(), 1.0f);
                     CHECK((first.data().address() % 1_MiB == 0 || first.get() == nullptr));
                     g.add_free(ag::after(n), std::move(first));
                     g.add_free(ag::after(n), std::move(second));
                 }).release_graph();
    for (const CUgraphNode n : built_order(graph.get()).of_type(CU_GRAPH_NODE_TYPE_MEMSET)) {
        CHECK(addresses_of(n).front() % 1_MiB == 0);
    }
}

TEST_CASE("arenas of two devices", "[plan][P2]") {
    int devices = 0;
    const ag::stream starts_the_driver;
    must(cuDeviceGetCount(&devices), "cuDeviceGetCount");
    int reachable = 0;
    if (devices > 1) {
        must(cuDeviceCanAccessPeer(&reachable, 0, 1), "cuDeviceCanAccessPeer");
    }
    if (reachable == 0) {
        SKIP("needs two devices that can reach each other");
    }
    ag::stream stream;
    std::vector<float> result(256);
    auto exec = ag::build(ag::device{0}, [&](auto& g) {
        auto here = g.template add_alloc<float>(256);
        auto set = g.add_memset(ag::after(here), here.span(), 2.0f);
        auto there = g.template add_alloc<float>(ag::after(set), 256, ag::on(ag::device{1}).shared_with(ag::device{0}));
        auto over = g.add_memcpy(ag::after(there), there.span(), here.span());
        g.add_free(ag::after(over), std::move(here));
        auto out = g.add_memcpy(ag::after(over), result, there.span());
        g.add_free(ag::after(out), std::move(there));
    });
    exec.launch(stream);
    stream.synchronize();
    CHECK(result == std::vector<float>(256, 2.0f));
}
