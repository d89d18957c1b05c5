#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <allograph/model/audit_report.hpp>

namespace allograph {
inline namespace v0 {

/// A graph as it was read, with the graphs inside of it: what an audit judges. Addresses say who uses what.
struct audit_program {
    static constexpr std::uint32_t none = audit_report::none;  ///< no node

    /// A node, by its place in `nodes`.
    struct node {
        node_kind kind = node_kind::empty;  ///< what it does
        std::string name;                   ///< of a kernel
        std::uint64_t address = 0;          ///< of what the node allocates or frees
        std::uint64_t bytes = 0;            ///< of an allocation
        int device = 0;                     ///< of an allocation, its ordinal
        CUgraphNode_st* handle = nullptr;   ///< the driver's
    };
    /// One graph: the audited one first, then those inside of nodes, each behind the graph that its holder is in. Of one
    /// holder, the bodies of a conditional follow each other.
    struct graph {
        std::uint32_t first_node;     ///< its nodes are `node_count` from here
        std::uint32_t node_count;     ///< without those of the graphs inside of it
        std::uint32_t holder = none;  ///< the child or conditional node that holds it
    };
    /// Memory that a node touches, from its first byte to its last; of memory behind a kernel's argument the first byte
    /// alone is known.
    struct touch {
        std::uint32_t node;        ///< its place in `nodes`
        audit_report::access how;  ///< as far as the driver tells
        bool exact;                ///< the size is known
        bool gaps;                 ///< rows with gaps: not every byte in between is touched
        std::uint64_t address;     ///< of the first byte
        std::uint64_t bytes;       ///< from the first to the last
    };

    std::string name;                       ///< as the options gave it
    std::vector<node> nodes;                ///< graph by graph
    std::vector<graph> graphs;              ///< the audited one first
    std::vector<audit_report::edge> edges;  ///< each within one graph
    std::vector<touch> touches;             ///< ordered by node
    std::vector<std::string> limits;        ///< what could not be read

    bool freed_on_launch = false;        ///< the executable frees what is left at its next launch: all of it has a fate
    std::vector<std::uint64_t> outputs;  ///< addresses of allocations that somebody outside of the graph frees
    std::uint64_t chunk_bytes = std::uint64_t{32} << 20;  ///< that the driver maps at once
};

}  // namespace v0
}  // namespace allograph
