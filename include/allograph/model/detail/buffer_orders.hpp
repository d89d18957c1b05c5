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
    std::vector<std::uint32_t> buffers(problem.size());
    std::size_t count = 0;
    for (std::uint32_t b = 0; b < problem.size(); ++b) {
        buffers[count] = b;
        count += problem.size_of(b) != 0 ? 1 : 0;
    }
    buffers.resize(count);
    return buffers;
}

/// Buffers that take bytes, ascending by `key_of(buffer)`, equal ones by their number.
template <class Key>
std::vector<std::uint32_t> sorted_buffers(const placement_problem& problem, Key&& key_of) {
    // Keys are held beside the numbers: looked up in each comparison, they would miss the cache in large problems.
    struct entry {
        decltype(key_of(std::uint32_t{})) key;
        std::uint32_t buffer;
    };
    std::vector<std::uint32_t> order = sized_buffers(problem);
    if (std::is_sorted(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key_of(a) < key_of(b); })) {
        return order;  // as programs that are a line are numbered
    }
    std::vector<entry> entries;
    entries.reserve(order.size());
    for (const std::uint32_t b : order) {
        entries.push_back({key_of(b), b});
    }
    std::sort(entries.begin(), entries.end(),
              [](const entry& a, const entry& b) { return a.key < b.key || (!(b.key < a.key) && a.buffer < b.buffer); });
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = entries[i].buffer;
    }
    return order;
}

inline std::vector<std::uint32_t> by_offset(const placement_problem& problem, const std::vector<std::uint64_t>& offsets) {
    return sorted_buffers(problem, [&](std::uint32_t b) { return offsets[b]; });
}

/// In the order of allocation that the program may run in.
inline std::vector<std::uint32_t> by_allocation(const placement_problem& problem) {
    if (problem.is_line()) {
        return sorted_buffers(problem, [&](std::uint32_t b) { return problem.lifetimes()[b].lower; });
    }
    return sorted_buffers(problem, [&](std::uint32_t b) { return problem.order().position(problem.ends()[b].alloc_node); });
}

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
