// The graph parts of three public samples, by the driver's own calls and with the library: memory nodes, their footprint, and
// conditional nodes. Runs both versions of each and compares what they give.

#include "migration.hpp"

#include <cstdio>

#include "kernels.hpp"
#include "migration_kernels.cu"
#include "migration_kernels.image.h"

using namespace migration;

template <class Result>
static bool same(const char* what, const Result& raw, const Result& ours) {
    std::printf("%s: %s\n", what, raw == ours ? "equal" : "DIFFERENT");
    return raw == ours;
}

static int compare() {
    const ag::stream needs_a_context;
    const example::kernel_module module(migration_kernels);
    const kernels use{module.get<square>("square"),
                      module.get<negate>("negate"),
                      module.get<keep_busy>("keep_busy"),
                      module.get<decide_by_parity>("decide_by_parity"),
                      module.get<decide_by_value>("decide_by_value"),
                      module.get<write_value>("write_value"),
                      module.get<count_down>("count_down")};

    std::vector<float> input(1000);
    for (std::size_t i = 0; i < input.size(); ++i) {
        input[i] = static_cast<float>(i);
    }
    const negated_squares raw = memory_nodes_raw(use, input);
    bool all = same("memory nodes", raw, memory_nodes(use, input));
    for (std::size_t i = 0; i < input.size(); ++i) {  // and they are right
        const float square = input[i] * input[i];
        all = all && raw.square[i] == square && raw.freed_inside[i] == -square && raw.freed_on_the_stream[i] == -square &&
              raw.freed_by_another_graph[i] == -square && raw.captured[i] == -square;
    }
    all = all && raw.address_reused;

    constexpr std::uint64_t bytes = std::uint64_t{64} << 20U;
    const std::vector<std::uint64_t> steps = footprint_raw(use, bytes);
    all = same("footprint", steps, footprint(use, bytes)) && all;
    for (const std::uint64_t each : steps) {
        std::printf("  %llu\n", static_cast<unsigned long long>(each));
    }
    all = all && steps.front() == 1 && steps.back() == 0;

    const std::vector<int> expected = {0, 1, 2, 1, 0, 10, 10, 10, 11, 12, 13, 0};
    const std::vector<int> answers = conditional_nodes_raw(use);
    all = same("conditional nodes", answers, conditional_nodes(use)) && all;
    all = same("conditional nodes, as they should be", answers, expected) && all;

    std::printf(all ? "migration: equal results\n" : "migration: FAILED\n");
    return all ? 0 : 1;
}

int main() {
    try {
        return compare();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "migration: %s\n", error.what());
        return 1;
    }
}
