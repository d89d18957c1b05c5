#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <allograph/model/node.hpp>

namespace allograph {
inline namespace v0 {

/// What an audit of a graph found: a value that holds on to nothing of the driver.
///
/// Nodes, allocations and findings are known by their place in these vectors. The nodes of the audited graph come first,
/// in the driver's order, then those of the graphs inside of it.
struct audit_report {
    static constexpr std::uint32_t none = 0xFFFFFFFFu;               ///< no node, no allocation
    static constexpr std::uint64_t no_offset = 0xFFFFFFFFFFFFFFFFu;  ///< not in an arena

    /// How wrong a finding is.
    enum class severity : std::uint8_t {
        error,  ///< the graph breaks a rule
        note    ///< right only if somebody outside of the graph does his part
    };
    /// How a node touches memory.
    enum class access : std::uint8_t {
        read,    ///< alone
        write,   ///< and read, perhaps
        unknown  ///< an address among a kernel's arguments: it may be read, written, or neither
    };

    /// A node of the graph, or of a graph inside of it.
    struct node {
        node_kind kind = node_kind::empty;  ///< what it does
        std::string name;                   ///< of a kernel, as its module spells it (mangled); else empty
        std::uint32_t parent = none;        ///< the child or conditional node that holds the graph of this one
        std::uint32_t level = 0;            ///< nodes on the longest path to it
        CUgraphNode_st* handle = nullptr;   ///< the driver's
    };
    /// An edge between two nodes of one graph.
    struct edge {
        std::uint32_t from;         ///< the node that runs first
        std::uint32_t to;           ///< the node that waits
        bool programmatic = false;  ///< it carries data: the second kernel may start before the first has ended
    };
    /// A node that touches an allocation.
    struct use {
        std::uint32_t node;  ///< its place in `nodes`
        access how;          ///< as far as the driver tells
    };
    /// An allocation of the graph, or of a graph inside of it.
    struct allocation {
        std::uint64_t address;                     ///< of the first byte
        std::uint64_t bytes;                       ///< as they were asked for
        int device;                                ///< its ordinal
        std::uint32_t allocated_by;                ///< the allocation node
        std::uint32_t freed_by = none;             ///< the free node, if there is one
        std::uint32_t first_level = 0;             ///< of the allocation node
        std::uint32_t last_level = 0;              ///< of the free, or of the whole graph
        std::vector<use> uses;                     ///< one a node
        std::uint64_t planned_offset = no_offset;  ///< in the arena of its device; what leaves the graph has none
    };
    /// A rule that the graph breaks, or a note.
    struct finding {
        const char* rule;                    ///< its id: "O3"
        audit_report::severity severity;     ///< error or note
        std::string message;                 ///< one line
        std::string fix;                     ///< what to change
        std::uint32_t allocation = none;     ///< that it is about
        std::uint32_t overlaps = none;       ///< the allocation that has the freed bytes by then (rule X9)
        std::vector<std::uint32_t> nodes;    ///< all that are involved
        std::vector<std::uint32_t> path;     ///< that shows the mistake, from its first node to its last
        std::vector<std::uint32_t> missing;  ///< two nodes: no path leads from the first to the second
    };
    /// Bytes of the graph's memory, of all devices together.
    struct footprint {
        std::uint64_t chunk = 0;        ///< bytes that the driver maps at once
        std::uint64_t driver = 0;       ///< physical bytes: the chunks that the addresses touch (rule M3)
        std::uint64_t planned = 0;      ///< bytes that a plan of the same lifetimes takes, and what leaves the graph
        std::uint64_t lower_bound = 0;  ///< no plan takes fewer
    };

    std::string name;                     ///< as the options gave it
    std::vector<node> nodes;              ///< in the driver's order, the audited graph's first
    std::vector<edge> edges;              ///< each within one graph
    std::vector<allocation> allocations;  ///< in the order of their nodes
    std::vector<finding> findings;        ///< rules that are broken, and notes
    footprint memory;                     ///< as it is, and planned
    std::vector<std::string> limits;      ///< what this audit could not see, a sentence each

    /// Nothing was found, not even a note.
    [[nodiscard]] bool clean() const noexcept { return findings.empty(); }
    /// Findings that are errors.
    [[nodiscard]] std::size_t errors() const noexcept {
        std::size_t count = 0;
        for (const finding& each : findings) {
            count += each.severity == severity::error ? 1u : 0u;
        }
        return count;
    }

    /// For a terminal: findings, then allocations with their lifetimes, memory and limits.
    [[nodiscard]] std::string text() const;
    /// For programs; docs/audit.md describes it. ASCII, and safe inside of an HTML script element.
    [[nodiscard]] std::string json() const;
    /// For Graphviz: allocations, uses and findings coloured. The driver's own is `cuGraphDebugDotPrint`.
    [[nodiscard]] std::string dot() const;
    /// One page that needs no network; `#include <allograph/graph/audit_html.hpp>`, as `allograph/audit.hpp` does.
    [[nodiscard]] std::string html() const;
};

}  // namespace v0
}  // namespace allograph

#include <allograph/model/audit_report_dot.hpp>
#include <allograph/model/audit_report_json.hpp>
#include <allograph/model/audit_report_text.hpp>
