// Every driver call that the library makes, failed at every place where an operation makes it.
//
// A scenario is a small program with one marked operation. It runs once untouched, which tells how often the operation
// makes each call; then once for each of these calls with that call failing. The failure must be a driver_error that
// names the call, must leave graph, tokens and memory as they were, and the same operation must then succeed and the
// program give its result. At the end everything must be gone.

#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <allograph/capture.hpp>

#include "faults.hpp"

const std::set<std::string>& functions_in_the_headers() {
    static const std::set<std::string> all = [] {
        std::set<std::string> found;
        const std::filesystem::path include = ALLOGRAPH_HEADERS;
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

namespace {

/// Called once, in a process of its own, by first_call.cpp.
const std::set<std::string> tested_at_the_first_call{"cuInit",           "cuDeviceGetCount",     "cuDeviceGet",
                                                     "cuDeviceTotalMem", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain"};
/// Called where nothing may be thrown: the quiet table below.
const std::set<std::string> quiet{"cuGraphDestroy",      "cuGraphExecDestroy",
                                  "cuStreamDestroy",     "cuStreamIsCapturing",
                                  "cuMemFreeAsync",      "cuGraphReleaseUserObject",
                                  "cuUserObjectRelease", "cuGetErrorName",
                                  "cuGetErrorString",    "cuThreadExchangeStreamCaptureMode"};
/// Asked where a failure is an answer like any other: how large the chunks of a device are is then taken as usual, and a
/// driver that does not tell what is inside of a conditional node, or draw it, leaves a limit in the audit's report.
const std::set<std::string> probes{"cuGraphInstantiateWithFlags", "cuGetProcAddress", "cuGraphDebugDotPrint"};

std::vector<scenario> all_scenarios() {
    std::vector<scenario> all;
    for (const auto& some : {scenarios_of_nodes(), scenarios_of_executables(), scenarios_of_capture()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

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
    for (const scenario& each : all_scenarios()) {
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
    CHECK(failures > 250);
}

TEST_CASE("every driver call of the headers is failed by a test", "[faults]") {
    need_faults();
    warm_up();
    std::set<std::string> reached;
    for (const scenario& each : all_scenarios()) {
        for (const auto& operation : calls_of(each)) {
            for (const auto& [function, count] : operation) {
                if (count != 0 && !may_not_throw(function)) {
                    reached.insert(function);
                }
            }
        }
    }
    CHECK(functions_in_the_headers().size() > 35);
    const auto lists = {tested_at_the_first_call, quiet, probes};
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
}

TEST_CASE("destructors throw nothing when the driver fails", "[faults]") {
    need_faults();
    const nothing_leaks guard;
    const ag::stream stream;

    std::optional<ag::memory_graph> graph(std::in_place);
    const CUgraph raw_graph = graph->get();
    destroy_while_failing("cuGraphDestroy", [&] { graph.reset(); }, [&] { must(cuGraphDestroy(raw_graph), "cuGraphDestroy"); });

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

TEST_CASE("a thread keeps its capture mode where the driver cannot exchange it", "[faults]") {
    need_faults();
    const nothing_leaks guard;
    const ag::stream stream;
    program<ag::memory_graph> p;
    auto makes = std::move(p.graph).instantiate(ag::outputs(std::move(p.x)));
    std::optional<ag::stream_buffer<float>> buffer(std::get<0>(makes.launch(p.stream)));
    destroy_while_failing("cuThreadExchangeStreamCaptureMode", [&] { buffer.reset(); }, [] { CHECK(lost_memory().empty()); });
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    must(cuThreadExchangeStreamCaptureMode(&mode), "cuThreadExchangeStreamCaptureMode");
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
}

TEST_CASE("a capture scope that cannot end its capture leaves the graph to the driver", "[faults]") {
    need_faults();
    const nothing_leaks guard;
    const ag::stream stream;
    ag::memory_graph g;
    using scope_type = decltype(std::move(g).capture(stream));
    std::unique_ptr<scope_type> scope(new scope_type(std::move(g).capture(stream)));
    destroy_while_failing(
        "cuStreamEndCapture", [&] { scope.reset(); },
        [&] {
            CUgraph left = nullptr;
            must(cuStreamEndCapture(stream, &left), "cuStreamEndCapture");
            must(cuGraphDestroy(left), "cuGraphDestroy");
        });
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
