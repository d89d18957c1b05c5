#pragma once

#include <cstdint>

namespace allograph {
inline namespace v0 {

/// How an allocation of a graph ends, as far as is known: freed in its graph, an output of the executable, freed by
/// the executable's next launch, or given to another graph that frees it (rule F10).
enum class allocation_fate : std::uint8_t {
    none,        ///< nobody frees it yet
    freed,       ///< by a node of its graph
    output,      ///< it leaves with each launch
    auto_freed,  ///< by the next launch
    given        ///< to another graph that frees it
};

namespace detail {

/// A type of element, kept once for all allocations of it.
struct element_type {
    const char* name;
    std::uint32_t name_size;
    std::uint32_t bytes;
};

/// The latest use of one kind, read or write, and the way to those before it. Node 0: there is none.
struct use_record {
    std::uint32_t node : 31;
    std::uint32_t covered : 1;  // a write that a later reader comes after: the free need not ask for it
    std::uint32_t before;       // a place among the uses, plus one; 0: there is no earlier one
};

/// What is asked of an allocation whenever a node uses it. Nodes are numbers of a `reachability`; 0 is none.
/// It lies within one line of the cache, and mostly needs no other: fetching lines is what a checked graph costs.
struct alignas(32) allocation_record {
    std::uint32_t made_by;
    std::uint32_t freed_by;
    std::uint32_t witness;  // the latest user, a node that comes after the allocation
    use_record writes;      // those that no later write comes after
    use_record reads;       // those since
    std::int16_t device;
    std::uint8_t type;  // an element_type
    allocation_fate end;
};
static_assert(sizeof(allocation_record) == 32);

/// What is asked of an allocation by messages, and once the graph is there.
struct allocation_extent {
    std::uint64_t bytes;
    std::uint64_t address;
};

/// A use of the node that is checked.
struct pending_use {
    std::uint32_t allocation;
    std::uint32_t passed;  // the latest user, where this one comes after it; else 0
    bool writes;
    bool in_order;  // it comes after the allocation
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
