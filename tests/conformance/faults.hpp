#pragma once

// What the tests share that let the driver fail: scenarios, and what they run their operations through.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fixture.hpp"

/// A driver function without its version: how the reference driver counts and fails them.
inline std::string base_name(std::string name) {
    const std::size_t version = name.rfind("_v");
    return version == std::string::npos ? name : name.substr(0, version);
}

/// The driver functions that the headers call, without their versions.
const std::set<std::string>& functions_in_the_headers();

inline bool same(const allograph_reference_counts& a, const allograph_reference_counts& b) {
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
    typename Graph::template token_of<float> x = graph.template add_alloc<float>(100, ag::named("x"));
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

/// The scenarios, by what they do.
std::span<const scenario> scenarios_of_nodes();
std::span<const scenario> scenarios_of_executables();
std::span<const scenario> scenarios_of_capture();

#define OF_BOTH(operation)                                                                                                       \
    {#operation, &operation<ag::memory_graph>}, { #operation " (unchecked)", &operation<ag::unchecked_memory_graph> }
#define OF_BOTH_PLAIN(operation)                                                                                                 \
    {#operation, &operation<ag::graph>}, { #operation " (unchecked)", &operation<ag::unchecked_graph> }
#define OF_ONE(operation) {#operation, &operation}
