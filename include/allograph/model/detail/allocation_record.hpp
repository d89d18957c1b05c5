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

/// One allocation of a recorded graph. Nodes are numbers of a `reachability`; 0 is none. Kept small: what a page of
/// memory costs is what a checked graph costs.
struct allocation_record {
    std::uint64_t bytes;
    std::uint64_t address;
    std::uint32_t made_by;
    std::uint32_t freed_by;
    std::uint32_t witness;  // the latest user, a node that comes after the allocation
    std::uint32_t writers;  // the latest write that no later write comes after, as a place among the uses, plus one
    std::uint32_t readers;  // the same for reads
    std::int16_t device;
    std::uint8_t type;  // an element_type
    allocation_fate end;
};

/// One use of an allocation by a node, in a list of uses of one kind.
struct use_record {
    std::uint32_t allocation;
    std::uint32_t node : 31;
    std::uint32_t writes : 1;
    std::uint32_t next : 31;    // the use before this one in its list, as a place among the uses, plus one
    std::uint32_t covered : 1;  // a write that a later reader comes after: the free need not ask for it
};

/// What is known of a use before its node is recorded.
struct pending_use {
    bool in_order;       // it comes after the allocation
    bool after_witness;  // it comes after the latest user
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
