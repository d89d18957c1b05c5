#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// The buffers that take bytes.
inline std::vector<std::uint32_t> sized_buffers(const placement_problem& problem) {
    std::vector<std::uint32_t> buffers;
    buffers.reserve(problem.size());
    for (std::uint32_t b = 0; b < problem.size(); ++b) {
        if (problem.size_of(b) != 0) {
            buffers.push_back(b);
        }
    }
    return buffers;
}

/// Buffers that take bytes, ascending by `key(buffer)`, equal ones by their number.
template <class Key>
std::vector<std::uint32_t> sorted_buffers(const placement_problem& problem, Key&& key) {
    std::vector<std::uint32_t> order = sized_buffers(problem);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const auto x = key(a);
        const auto y = key(b);
        return x != y ? x < y : a < b;
    });
    return order;
}

inline std::vector<std::uint32_t> by_offset(const placement_problem& problem,
                                            const std::vector<std::uint64_t>& offsets) {
    return sorted_buffers(problem, [&](std::uint32_t b) { return offsets[b]; });
}

/// In the order of allocation that the program may run in.
inline std::vector<std::uint32_t> by_allocation(const placement_problem& problem) {
    if (problem.is_line()) {
        return sorted_buffers(problem, [&](std::uint32_t b) { return problem.lifetimes()[b].lower; });
    }
    return sorted_buffers(
        problem, [&](std::uint32_t b) { return problem.order().position(problem.ends()[b].alloc_node); });
}

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
