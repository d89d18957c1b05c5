// Every driver call that the library makes, failed at every place where an operation makes it.
//
// A scenario is a small program with one marked operation. It runs once untouched, which tells how often the operation
// makes each call; then once for each of these calls with that call failing. The failure must be a driver_error that
// names the call, must leave graph, tokens and memory as they were, and the same operation must then succeed and the
// program give its result. At the end everything must be gone.

#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "fixture.hpp"

namespace {

/// A driver function without its version: how the reference driver counts and fails them.
std::string base_name(std::string name) {
    const std::size_t version = name.rfind("_v");
    return version == std::string::npos ? name : name.substr(0, version);
}

/// Called once, in a process of its own, by first_call.cpp.
const std::set<std::string> tested_at_the_first_call{"cuInit",           "cuDeviceGetCount",     "cuDeviceGet",
                                                     "cuDeviceTotalMem", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"};
/// Called where nothing may be thrown: the quiet table below.
const std::set<std::string> quiet{"cuGraphDestroy",      "cuGraphExecDestroy", "cuStreamDestroy",
                                  "cuStreamIsCapturing", "cuMemFreeAsync",     "cuGraphReleaseUserObject",
                                  "cuUserObjectRelease", "cuGetErrorName",     "cuGetErrorString"};
/// Of <allograph/cudart.hpp>, which needs the CUDA runtime and a GPU.
const std::set<std::string> of_cudart{"cuFuncGetName"};
/// Asked where a failure is an answer like any other: how large the chunks of a device are is then taken as usual.
const std::set<std::string> probes{"cuGraphInstantiateWithFlags"};
/// Called by more kinds of nodes, by capture, by updates and by what reads a graph back: no scenario fails these yet.
const std::set<std::string> not_failed_yet{"cuFuncGetParamInfo",
                                           "cuGraphAddBatchMemOpNode",
                                           "cuGraphAddChildGraphNode",
                                           "cuGraphAddEventRecordNode",
                                           "cuGraphAddEventWaitNode",
                                           "cuGraphAddExternalSemaphoresSignalNode",
                                           "cuGraphAddExternalSemaphoresWaitNode",
                                           "cuGraphAddNode",
                                           "cuGraphChildGraphNodeGetGraph",
                                           "cuGraphConditionalHandleCreate",
                                           "cuGraphGetEdges",
                                           "cuGraphGetNodes",
                                           "cuGraphHostNodeGetParams",
                                           "cuGraphKernelNodeGetParams",
                                           "cuGraphMemAllocNodeGetParams",
                                           "cuGraphMemFreeNodeGetParams",
                                           "cuGraphMemcpyNodeGetParams",
                                           "cuGraphMemsetNodeGetParams",
                                           "cuGraphNodeGetDependencies",
                                           "cuGraphNodeGetType",
                                           "cuKernelGetName",
                                           "cuKernelGetParamInfo",
                                           "cuStreamBeginCaptureToGraph",
                                           "cuStreamEndCapture",
                                           "cuStreamGetCaptureInfo",
                                           "cuThreadExchangeStreamCaptureMode",
                                           "cuGraphExecHostNodeSetParams",
                                           "cuGraphExecKernelNodeSetParams",
                                           "cuGraphExecMemcpyNodeSetParams",
                                           "cuGraphExecMemsetNodeSetParams",
                                           "cuGraphExecUpdate",
                                           "cuGraphNodeGetEnabled",
                                           "cuGraphNodeSetEnabled"};

/// The driver functions that the headers call, without their versions.
const std::set<std::string>& functions_in_the_headers() {
    static const std::set<std::string> all = [] {
        std::set<std::string> found;
        const auto include = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "include" / "allograph";
        for (const auto& entry : std::filesystem::recursive_directory_iterator(include)) {
            if (entry.path().extension() != ".hpp") {
                continue;
            }
            std::stringstream text;
            text << std::ifstream(entry.path()).rdbuf();
            const std::string content = text.str();
            const auto in_a_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
            for (std::size_t open = content.find('('); open != std::string::npos; open = content.find('(', open + 1)) {
                std::size_t begin = open;
                while (begin > 0 && in_a_name(content[begin - 1])) {
                    --begin;
                }
                const std::string name = content.substr(begin, open - begin);
                if (name.size() > 2 && name.starts_with("cu") && std::isupper(static_cast<unsigned char>(name[2])) != 0) {
                    found.insert(base_name(name));
                }
            }
        }
        return found;
    }();
    return all;
}

bool same(const allograph_reference_counts& a, const allograph_reference_counts& b) {
    return a.graphs == b.graphs && a.executables == b.executables && a.user_objects == b.user_objects && a.streams == b.streams &&
           a.allocations == b.allocations && a.allocation_bytes == b.allocation_bytes;
}

/// What a scenario runs its operations through.
class faulty {
public:
    /// Only counts the calls of the operations.
    faulty() = default;
    /// Lets the `nth` call of `function` in the operation with that number fail.
    faulty(std::size_t operation, std::string function, unsigned nth)
        : target_(operation), function_(std::move(function)), nth_(nth) {}

    /// @param operation  what is tested
    /// @param state      what must not change when it fails, as text
    /// @param prepare    done before each try, outside of what is counted and failed
    template <class Operation>
    void attempt(
        Operation&& operation, const std::function<std::string()>& state = [] { return std::string(); },
        const std::function<void()>& prepare = [] {}) {
        prepare();
        if (nth_ == 0) {
            std::map<std::string, std::size_t> count;
            for (const std::string& function : functions_in_the_headers()) {
                count[function] = allograph_reference_calls(function.c_str());
            }
            operation();
            for (auto& [function, calls_so_far] : count) {
                calls_so_far = allograph_reference_calls(function.c_str()) - calls_so_far;
            }
            calls.push_back(std::move(count));
            return;
        }
        if (next_++ != target_) {
            operation();
            return;
        }
        const std::string state_before = state();
        prepare();
        const allograph_reference_counts counts_before = live_counts();
        REQUIRE(allograph_reference_fail(function_.c_str(), nth_, CUDA_ERROR_SYSTEM_NOT_READY));
        std::string what = "nothing was thrown";
        std::string call;
        CUresult result = CUDA_SUCCESS;
        try {
            operation();
        } catch (const ag::driver_error& error) {
            what = error.what();
            call = error.call();
            result = error.result();
        }
        allograph_reference_clear_failures();
        INFO(what);
        CHECK(base_name(call) == function_);
        CHECK(result == CUDA_ERROR_SYSTEM_NOT_READY);
        CHECK_THAT(what, ContainsSubstring(function_) && ContainsSubstring("CUDA_ERROR_SYSTEM_NOT_READY"));
        CHECK(same(live_counts(), counts_before));
        CHECK(state() == state_before);
        prepare();
        operation();
    }

    /// One map an operation: how often it makes each call.
    std::vector<std::map<std::string, std::size_t>> calls;

private:
    std::size_t target_ = 0;
    std::string function_;
    unsigned nth_ = 0;
    std::size_t next_ = 0;
};

struct scenario {
    const char* name;
    void (*run)(faulty&);
};

template <class Graph>
struct program {
    ag::stream stream{};
    Graph graph{};
    ag::alloc_node<float> x = graph.template add_alloc<float>(100, ag::named("x"));
    ag::memset_node set = graph.add_memset(ag::after(x), x.span(), 1.5f);

    std::function<std::string()> state() {
        return [this] { return std::to_string(node_count(graph.get())) + (x.spent() ? " nodes, spent" : " nodes, live"); };
    }
    /// Runs what was built, with x as its output.
    std::vector<float> result() {
        auto exec = std::move(graph).instantiate(ag::outputs(std::move(x)));
        auto [buffer] = exec.launch(stream);
        return contents(buffer);
    }
    void check_result() { CHECK(result() == std::vector<float>(100, 1.5f)); }
};

template <class Graph>
void adding_an_allocation(faulty& f) {
    program<Graph> p;
    std::vector<ag::alloc_node<int>> tokens;
    f.attempt([&] { tokens.push_back(p.graph.template add_alloc<int>(ag::after(p.set), 10)); }, p.state());
    const auto set = p.graph.add_memset(tokens, tokens[0].span(), 3);
    std::vector<int> host(10);
    const auto out = p.graph.add_memcpy(ag::after(set), host, tokens[0].span());
    p.graph.add_free(ag::after(out), std::move(tokens[0]));
    p.check_result();
    CHECK(host == std::vector<int>(10, 3));
}

template <class Graph>
void adding_a_shared_allocation(faulty& f) {
    program<Graph> p;
    std::vector<ag::alloc_node<int>> tokens;
    f.attempt([&] { tokens.push_back(p.graph.template add_alloc<int>(10, ag::on(ag::device{0}).shared_with(ag::device{0}))); },
              p.state());
    p.graph.add_free(tokens, std::move(tokens[0]));
    p.check_result();
}

template <class Graph>
void adding_a_free(faulty& f) {
    program<Graph> p;
    f.attempt([&] { p.graph.add_free(ag::after(p.set), std::move(p.x)); }, p.state());
    auto exec = std::move(p.graph).instantiate();
    exec.launch(p.stream);
    exec.launch(p.stream);
    p.stream.synchronize();
}

void adding_a_free_of_another_graph(faulty& f) {
    program<ag::memory_graph> p;
    ag::memory_graph consumer;
    std::vector<float> host(100);
    const auto out = consumer.add_memcpy(host, p.x.span());
    f.attempt([&] { consumer.add_free(ag::after(out), std::move(p.x)); },
              [&] {
                  // A failed free gave the allocation no fate.
                  const bool fateless =
                      !p.x.spent() && misuse_of([&] { (void)std::move(p.graph).instantiate(); }).rule() == std::string("F10");
                  return std::to_string(node_count(consumer.get())) + (fateless ? " nodes, no fate" : " nodes");
              });
    auto makes = std::move(p.graph).instantiate();
    auto frees = std::move(consumer).instantiate();
    for (int i = 0; i < 2; ++i) {
        makes.launch(p.stream);
        frees.launch(p.stream);
    }
    p.stream.synchronize();
    CHECK(host == std::vector<float>(100, 1.5f));
}

template <class Graph>
void adding_a_memset(faulty& f) {
    program<Graph> p;
    f.attempt([&] { p.graph.add_memset(ag::after(p.set), p.x.span(), 4.0f); }, p.state());
    CHECK(p.result() == std::vector<float>(100, 4.0f));
}

template <class Graph>
void adding_a_memcpy(faulty& f) {
    const std::vector<float> input(100, 5.0f);
    program<Graph> p;
    f.attempt([&] { p.graph.add_memcpy(ag::after(p.set), p.x.span(), input); }, p.state());
    CHECK(p.result() == input);
}

template <class Graph>
void adding_a_kernel(faulty& f) {
    program<Graph> p;
    f.attempt(
        [&] {
            p.graph.add_kernel(ag::after(p.set), test_kernels::scale_add(), ag::grid_for(100), 100, 1.0f, p.x.data(), p.x.data());
        },
        p.state(), [] { (void)test_kernels::scale_add(); });
    CHECK(p.result() == std::vector<float>(100, 3.0f));
}

template <class Graph>
void adding_a_host_function(faulty& f) {
    program<Graph> p;
    int calls = 0;
    f.attempt([&] { p.graph.add_host(ag::after(p.set), [&calls, keeps = std::make_unique<int>(1)] { calls += *keeps; }); },
              p.state());
    p.check_result();
    CHECK(calls == 1);
}

template <class Graph>
void adding_an_empty_node(faulty& f) {
    program<Graph> p;
    f.attempt([&] { p.graph.add_empty(ag::after(p.set)); }, p.state());
    p.check_result();
}

template <class Graph>
void adding_an_edge(faulty& f) {
    program<Graph> p;
    const auto last = p.graph.add_empty();
    f.attempt([&] { p.graph.add_dependency(p.set, last); }, [&] { return std::to_string(dependencies_of(last.get()).size()); });
    CHECK(dependencies_of(last.get()).size() == 1);
    p.check_result();
}

void adding_a_kernel_with_a_cluster_to_a_plain_graph(faulty& f) {
    ag::graph g;
    const auto before = g.add_empty();
    f.attempt(
        [&] {
            g.add_kernel(ag::after(before), test_kernels::nothing(),
                         ag::launch_config{.grid = {.x = 2}, .cluster = {.x = 2, .y = 1, .z = 1}});
        },
        [&] { return std::to_string(node_count(g.get())); }, [] { (void)test_kernels::nothing(); });
    CHECK(node_count(g.get()) == 2);
    g.add_empty(ag::after(before));
}

template <class Graph>
void making_a_graph(faulty& f) {
    CUcontext context = nullptr;
    { const ag::stream makes_a_context_current; }
    must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    std::optional<Graph> g;
    f.attempt([&] { g.emplace(ag::device{0}); }, [] { return std::string(); }, [] { cuCtxSetCurrent(nullptr); });
    CUcontext now = nullptr;
    must(cuCtxGetCurrent(&now), "cuCtxGetCurrent");
    CHECK(now == context);
    f.attempt([&] { Graph second; });
    g->add_empty();
    CHECK(node_count(g->get()) == 1);
}

void making_a_stream(faulty& f) {
    CUcontext context = nullptr;
    { const ag::stream makes_a_context_current; }
    must(cuCtxGetCurrent(&context), "cuCtxGetCurrent");
    std::optional<ag::stream> stream;
    f.attempt([&] { stream.emplace(); });
    stream->synchronize();
    CUcontext now = nullptr;
    must(cuCtxGetCurrent(&now), "cuCtxGetCurrent");
    CHECK(now == context);
}

template <class Graph>
void instantiating(faulty& f) {
    program<Graph> p;
    auto fates = ag::outputs(std::move(p.x));
    std::optional<decltype(std::move(p.graph).instantiate(std::move(fates)))> exec;
    f.attempt(
        [&] { exec.emplace(std::move(p.graph).instantiate(std::move(fates), ag::upload_to{p.stream})); },
        [&] { return std::to_string(node_count(p.graph.get())) + (std::get<0>(fates.tokens()).spent() ? " spent" : " live"); });
    auto [buffer] = exec->launch(p.stream);
    CHECK(contents(buffer) == std::vector<float>(100, 1.5f));
}

void instantiating_a_plain_graph(faulty& f) {
    ag::graph g;
    int calls = 0;
    g.add_host([&] { ++calls; });
    std::optional<decltype(g.instantiate())> exec;
    f.attempt([&] { exec.emplace(g.instantiate()); });
    const ag::stream stream;
    exec->launch(stream);
    stream.synchronize();
    CHECK(calls == 1);
}

template <class Graph>
void launching(faulty& f) {
    program<Graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    std::optional<ag::stream_buffer<float>> kept;
    const auto launch = [&] {
        auto [buffer] = exec.launch(p.stream);
        kept.emplace(std::move(buffer));
    };
    f.attempt(launch);
    CHECK(contents(*kept) == std::vector<float>(100, 1.5f));
    kept.reset();
    f.attempt(launch);  // a relaunch
    CHECK(contents(*kept) == std::vector<float>(100, 1.5f));
}

template <class Graph>
void launching_with_auto_free(faulty& f) {
    program<Graph> p;
    std::vector<ag::alloc_node<float>> tokens;
    tokens.push_back(std::move(p.x));
    auto exec = std::move(p.graph).instantiate(ag::auto_free(std::move(tokens)));
    std::vector<ag::device_span<float>> spans;
    f.attempt([&] { spans = exec.launch(p.stream); });
    f.attempt([&] { spans = exec.launch(p.stream); });
    CHECK(contents(spans[0], p.stream) == std::vector<float>(100, 1.5f));
}

void launching_a_producer_and_a_consumer(faulty& f) {
    program<ag::memory_graph> p;
    ag::memory_graph consumer;
    consumer.add_free(std::move(p.x));
    auto makes = std::move(p.graph).instantiate();
    auto frees = std::move(consumer).instantiate();
    f.attempt([&] { makes.launch(p.stream); });
    CHECK_THROWS_AS(makes.launch(p.stream), ag::misuse);
    f.attempt([&] { frees.launch(p.stream); });
    CHECK_THROWS_AS(frees.launch(p.stream), ag::misuse);
    p.stream.synchronize();
}

template <class Graph>
void uploading(faulty& f) {
    program<Graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    f.attempt([&] { exec.upload(p.stream); });
    auto [buffer] = exec.launch(p.stream);
    CHECK(contents(buffer) == std::vector<float>(100, 1.5f));
}

template <class Graph>
void releasing_the_graph(faulty& f) {
    program<Graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    { auto results = exec.launch(p.stream); }
    std::optional<std::tuple<Graph, ag::alloc_node<float>>> released;
    f.attempt([&] { released.emplace(std::move(exec).release_graph()); },
              [&] {
                  auto [buffer] = exec.launch(p.stream);  // still whole
                  return std::to_string(contents(buffer)[99]);
              });
    auto& [graph, x] = *released;
    graph.add_memset(ag::after(p.set), x.span(), 2.0f);
    auto again = std::move(graph).instantiate(ag::outputs(std::move(x)));
    auto [buffer] = again.launch(p.stream);
    CHECK(contents(buffer) == std::vector<float>(100, 2.0f));
}

template <class Graph>
void cloning(faulty& f) {
    int calls = 0;
    Graph g;
    const auto first = g.add_host([&] { ++calls; });
    const auto second = g.add_host(ag::after(first), [&] { ++calls; });
    std::optional<Graph> copy;
    f.attempt([&] { copy.emplace(g.clone()); });
    ag::node there;
    f.attempt([&] { there = copy->find(second); });
    copy->add_host(ag::after(there), [&] { ++calls; });
    auto exec = copy->instantiate();
    const ag::stream stream;
    exec.launch(stream);
    stream.synchronize();
    CHECK(calls == 3);
}

template <class Graph>
void removing(faulty& f) {
    Graph g;
    const auto first = g.add_empty();
    const auto second = g.add_empty(ag::after(first));
    const auto third = g.add_empty(ag::after(first, second));
    const auto state = [&] {
        return std::to_string(node_count(g.get())) + " " + std::to_string(dependencies_of(third.get()).size());
    };
    f.attempt([&] { g.remove_dependency(first, third); }, state);
    CHECK(dependencies_of(third.get()).size() == 1);
    f.attempt([&] { g.destroy_node(second); }, state);
    CHECK(node_count(g.get()) == 2);
    g.add_dependency(third, first);
}

void using_a_buffer(faulty& f) {
    program<ag::memory_graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    auto [buffer] = exec.launch(p.stream);
    const auto state = [&b = buffer] { return std::to_string(b.size()); };
    std::vector<float> host(100);
    f.attempt([&, &b = buffer] { b.copy_to(host); }, state);
    f.attempt([&] { p.stream.synchronize(); });
    CHECK(host == std::vector<float>(100, 1.5f));
    f.attempt([&b = buffer] { b.free(); }, state);
    CHECK(buffer.size() == 0);
    auto [again] = exec.launch(p.stream);
    CHECK(again.size() == 100);
}

void asking_about_memory(faulty& f) {
    const ag::graph_memory memory{ag::device{0}};
    const ag::stream needs_a_context;
    memory.trim();
    std::uint64_t sum = 0;
    f.attempt([&] { sum = memory.used() + memory.reserved() + memory.used_high() + memory.reserved_high(); });
    f.attempt([&] { memory.reset_highs(); });
    f.attempt([&] { memory.trim(); });
    CHECK(memory.used() == 0);
    static_cast<void>(sum);
}

#define OF_BOTH(operation)                                                                                                       \
    {#operation, &operation<ag::memory_graph>}, { #operation " (unchecked)", &operation < ag::unchecked_memory_graph> }
#define OF_BOTH_PLAIN(operation)                                                                                                 \
    {#operation, &operation<ag::graph>}, { #operation " (unchecked)", &operation < ag::unchecked_graph> }
#define OF_ONE(operation)                                                                                                        \
    { #operation, &operation }

const scenario scenarios[] = {
    OF_BOTH(making_a_graph),
    OF_BOTH_PLAIN(making_a_graph),
    OF_ONE(making_a_stream),
    OF_BOTH(adding_an_allocation),
    OF_BOTH(adding_a_shared_allocation),
    OF_BOTH(adding_a_free),
    OF_ONE(adding_a_free_of_another_graph),
    OF_BOTH(adding_a_memset),
    OF_BOTH(adding_a_memcpy),
    OF_BOTH(adding_a_kernel),
    OF_ONE(adding_a_kernel_with_a_cluster_to_a_plain_graph),
    OF_BOTH(adding_a_host_function),
    OF_BOTH(adding_an_empty_node),
    OF_BOTH(adding_an_edge),
    OF_BOTH(instantiating),
    OF_ONE(instantiating_a_plain_graph),
    OF_BOTH(launching),
    OF_BOTH(launching_with_auto_free),
    OF_ONE(launching_a_producer_and_a_consumer),
    OF_BOTH(uploading),
    OF_BOTH(releasing_the_graph),
    OF_BOTH_PLAIN(cloning),
    OF_BOTH_PLAIN(removing),
    OF_ONE(using_a_buffer),
    OF_ONE(asking_about_memory),
};

void need_faults() {
    if (!allograph_reference_active()) {
        SKIP("only the reference driver fails when told to");
    }
}

/// What happens once a process, outside of all scenarios: the kernels are loaded, a device's chunks are measured.
void warm_up() {
    (void)test_kernels::scale_add();
    program<ag::memory_graph>{}.check_result();
}

/// What each operation of a scenario calls, and how often.
std::vector<std::map<std::string, std::size_t>> calls_of(const scenario& each) {
    faulty dry;
    each.run(dry);
    return dry.calls;
}

/// Calls that an operation makes on its way out, where it may not throw, in the same breath as others that it may.
bool may_not_throw(const std::string& function) {
    return quiet.contains(function) && function != "cuMemFreeAsync" && function != "cuGraphExecDestroy";
}

std::vector<ag::orphan>& lost_memory() {
    static std::vector<ag::orphan> all;
    return all;
}

/// Destroys something while one call fails, which leaves exactly what that call should have ended; `clean_up` ends it by hand.
template <class Destroy, class CleanUp>
void destroy_while_failing(const char* function, Destroy&& destroy, CleanUp&& clean_up) {
    INFO(function);
    const ag::orphan_handler before =
        ag::set_orphan_handler([](const ag::orphan& lost) noexcept { lost_memory().push_back(lost); });
    lost_memory().clear();
    REQUIRE(allograph_reference_fail(function, 1, CUDA_ERROR_SYSTEM_NOT_READY));
    const std::size_t calls = allograph_reference_calls(function);
    CHECK_NOTHROW(destroy());
    CHECK(allograph_reference_calls(function) > calls);
    allograph_reference_clear_failures();
    ag::set_orphan_handler(before);
    clean_up();
}

}  // namespace

TEST_CASE("every driver call of every operation may fail", "[faults]") {
    need_faults();
    warm_up();
    std::size_t failures = 0;
    for (const scenario& each : scenarios) {
        const auto operations = calls_of(each);
        for (std::size_t operation = 0; operation < operations.size(); ++operation) {
            std::size_t of_this_operation = 0;
            for (const auto& [function, count] : operations[operation]) {
                if (may_not_throw(function)) {
                    continue;
                }
                for (unsigned nth = 1; nth <= count; ++nth) {
                    INFO(each.name << ", operation " << operation << ": call " << nth << " of " << count << " of " << function);
                    const nothing_leaks guard;
                    faulty f(operation, function, nth);
                    each.run(f);
                    ++of_this_operation;
                }
            }
            INFO(each.name << ", operation " << operation);
            CHECK(of_this_operation > 0);
            failures += of_this_operation;
        }
    }
    CHECK(failures > 80);
}

TEST_CASE("every driver call of the headers is failed by a test", "[faults]") {
    need_faults();
    warm_up();
    std::set<std::string> reached;
    for (const scenario& each : scenarios) {
        for (const auto& operation : calls_of(each)) {
            for (const auto& [function, count] : operation) {
                if (count != 0 && !may_not_throw(function)) {
                    reached.insert(function);
                }
            }
        }
    }
    CHECK(functions_in_the_headers().size() > 35);
    const auto lists = {tested_at_the_first_call, quiet, of_cudart, probes, not_failed_yet};
    for (const std::string& function : functions_in_the_headers()) {
        INFO(function << " is called by a header; no scenario reaches it, and no list above says why");
        CHECK((reached.contains(function) ||
               std::any_of(lists.begin(), lists.end(), [&](const auto& list) { return list.contains(function); })));
    }
    for (const auto& list : lists) {
        for (const std::string& function : list) {
            INFO(function << " is in a list, but no header calls it any more");
            CHECK(functions_in_the_headers().contains(function));
        }
    }
    for (const std::string& function : not_failed_yet) {
        INFO(function << " is failed by a scenario now: take it from the list");
        CHECK_FALSE(reached.contains(function));
    }
}

TEST_CASE("destructors throw nothing when the driver fails", "[faults]") {
    need_faults();
    const nothing_leaks guard;
    const ag::stream stream;

    std::optional<ag::memory_graph> graph(std::in_place);
    const CUgraph raw_graph = graph->get();
    destroy_while_failing(
        "cuGraphDestroy", [&] { graph.reset(); }, [&] { must(cuGraphDestroy(raw_graph), "cuGraphDestroy"); });

    std::optional<ag::stream> other(std::in_place);
    const CUstream raw_stream = other->get();
    destroy_while_failing(
        "cuStreamDestroy", [&] { other.reset(); }, [&] { must(cuStreamDestroy_v2(raw_stream), "cuStreamDestroy_v2"); });

    ag::graph plain;
    std::optional<decltype(plain.instantiate())> exec(plain.instantiate());
    const CUgraphExec raw_exec = exec->get();
    destroy_while_failing(
        "cuGraphExecDestroy", [&] { exec.reset(); }, [&] { must(cuGraphExecDestroy(raw_exec), "cuGraphExecDestroy"); });

    for (const char* function : {"cuMemFreeAsync", "cuStreamIsCapturing"}) {
        program<ag::memory_graph> p;
        auto makes = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
        std::optional<ag::stream_buffer<float>> buffer(std::get<0>(makes.launch(p.stream)));
        const auto address = buffer->data().address();
        destroy_while_failing(
            function, [&] { buffer.reset(); },
            [&] {
                REQUIRE(lost_memory().size() == 1);
                CHECK(lost_memory()[0].address == address);
                CHECK(lost_memory()[0].bytes == 400);
                CHECK(lost_memory()[0].why == CUDA_ERROR_SYSTEM_NOT_READY);
                must(cuMemFreeAsync(address, p.stream), "cuMemFreeAsync");
            });
    }
    for (const char* function : {"cuMemFreeAsync", "cuStreamIsCapturing"}) {
        program<ag::memory_graph> p;
        std::optional<decltype(std::move(p.graph).instantiate(ag::auto_free(std::move(p.x))))> makes(
            std::move(p.graph).instantiate(ag::auto_free(std::move(p.x))));
        auto [span] = makes->launch(p.stream);
        const auto address = span.data().address();
        destroy_while_failing(
            function, [&] { makes.reset(); },
            [&] {
                REQUIRE(lost_memory().size() == 1);
                CHECK(lost_memory()[0].address == address);
                must(cuMemFreeAsync(address, p.stream), "cuMemFreeAsync");
            });
    }
}

TEST_CASE("an error on the way out hides no first error", "[faults]") {
    need_faults();
    int alive = 0;
    struct counted {
        int* alive;
        explicit counted(int& count) : alive(&count) { ++count; }
        counted(counted&& other) noexcept : alive(other.alive) { ++*alive; }
        ~counted() { --*alive; }
        void operator()() const {}
    };
    const allograph_reference_counts before = live_counts();
    SECTION("the user object cannot be given back when the node fails") {
        {
            ag::memory_graph g;
            allograph_reference_fail("cuGraphReleaseUserObject", 1, CUDA_ERROR_UNKNOWN);
            allograph_reference_fail("cuGraphAddHostNode", 1, CUDA_ERROR_SYSTEM_NOT_READY);
            CHECK(driver_error_of([&] { g.add_host(counted(alive)); }).call() == std::string("cuGraphAddHostNode"));
            allograph_reference_clear_failures();
        }
        CHECK(alive == 0);  // the graph had it
        CHECK(same(live_counts(), before));
    }
    SECTION("the user object cannot be released when the graph does not take it") {
        {
            ag::memory_graph g;
            allograph_reference_fail("cuUserObjectRelease", 1, CUDA_ERROR_UNKNOWN);
            allograph_reference_fail("cuGraphRetainUserObject", 1, CUDA_ERROR_SYSTEM_NOT_READY);
            CHECK(driver_error_of([&] { g.add_host(counted(alive)); }).call() == std::string("cuGraphRetainUserObject"));
            allograph_reference_clear_failures();
        }
        CHECK(alive == 1);  // nobody else can destroy it: the driver owns it and does not let go
    }
    SECTION("an unknown error has no name") {
        ag::memory_graph g;
        allograph_reference_fail("cuGraphAddEmptyNode", 1, 1000);
        CHECK_THAT(driver_error_of([&] { g.add_empty(); }).what(), ContainsSubstring("unknown CUresult 1000"));
        allograph_reference_fail("cuGraphAddEmptyNode", 1, CUDA_ERROR_UNKNOWN);
        allograph_reference_fail("cuGetErrorString", 1, CUDA_ERROR_INVALID_VALUE);
        CHECK_THAT(driver_error_of([&] { g.add_empty(); }).what(), ContainsSubstring("CUDA_ERROR_UNKNOWN"));
        allograph_reference_fail("cuGraphAddEmptyNode", 1, CUDA_ERROR_UNKNOWN);
        allograph_reference_fail("cuGetErrorName", 1, CUDA_ERROR_INVALID_VALUE);
        CHECK_THAT(driver_error_of([&] { g.add_empty(); }).what(), ContainsSubstring("unknown CUresult 999"));
        allograph_reference_clear_failures();
    }
}

TEST_CASE("a memory graph whose kernel did not get its cluster refuses to be instantiated", "[faults]") {
    need_faults();
    const nothing_leaks guard;
    ag::memory_graph g;
    allograph_reference_fail("cuGraphKernelNodeSetAttribute", 1, CUDA_ERROR_INVALID_VALUE);
    const ag::driver_error error = driver_error_of(
        [&] { g.add_kernel(test_kernels::nothing(), ag::launch_config{.grid = {.x = 2}, .cluster = {.x = 2, .y = 1, .z = 1}}); });
    allograph_reference_clear_failures();
    CHECK(error.call() == std::string("cuGraphKernelNodeSetAttribute"));
    const ag::misuse mistake = misuse_of([&] { (void)std::move(g).instantiate(); });
    CHECK(mistake.rule() == std::string("grid"));
    CHECK_THAT(mistake.what(), ContainsSubstring("did not get its cluster"));
}

TEST_CASE("a launch that runs out of memory is a driver_error and leaves no output", "[faults][M2]") {
    need_faults();
    const nothing_leaks guard;
    program<ag::memory_graph> p;
    auto exec = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    CHECK(exec.footprint().bytes() > 0);  // measures the chunk, with a launch of its own
    allograph_reference_fail("cuGraphLaunch", 1, CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(driver_error_of([&] { exec.launch(p.stream); }).result() == CUDA_ERROR_OUT_OF_MEMORY);
    auto [buffer] = exec.launch(p.stream);
    CHECK(contents(buffer) == std::vector<float>(100, 1.5f));
}
