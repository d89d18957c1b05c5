#pragma once

#include <allograph/model/detail/audit_memory.hpp>
#include <allograph/model/detail/audit_races.hpp>
#include <allograph/model/detail/audit_rules.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

inline void add_nodes(audit_report& report, const audit_program& program, const audit_order& order) {
    report.nodes.reserve(program.nodes.size());
    const bool ordered = order.cycle().empty();
    for (const audit_program::graph& g : program.graphs) {
        for (std::uint32_t v = g.first_node; v < g.first_node + g.node_count; ++v) {
            const audit_program::node& each = program.nodes[v];
            report.nodes.push_back({each.kind, each.name, g.holder, ordered ? order.level(v) : 0, each.handle});
        }
    }
}

inline void add_allocations(audit_report& report, const audit_program& program, const audit_order& order,
                            const audit_uses& found) {
    const std::uint32_t deepest = order.deepest();
    for (std::uint32_t a = 0; a < found.allocated_by().size(); ++a) {
        const std::uint32_t maker = found.allocated_by()[a];
        const std::uint32_t freed = found.freed_by(a);
        const audit_program::node& made = program.nodes[maker];
        report.allocations.push_back({made.address,
                                      made.bytes,
                                      made.device,
                                      maker,
                                      freed,
                                      order.level(maker),
                                      freed == audit_report::none ? deepest : order.level(freed),
                                      {}});
    }
    for (std::size_t i = 0; i < program.touches.size(); ++i) {
        if (const std::uint32_t a = found.touched(i); a != audit_report::none) {
            using access = audit_report::access;
            std::vector<audit_report::use>& uses = report.allocations[a].uses;
            const audit_program::touch& t = program.touches[i];
            if (uses.empty() || uses.back().node != t.node) {
                uses.push_back({t.node, t.how});
            } else if (uses.back().how != t.how) {
                const bool writes = uses.back().how == access::write || t.how == access::write;
                uses.back().how = writes ? access::write : access::unknown;
            }
        }
    }
}

}  // namespace detail

/// Judges a graph that was read.
[[nodiscard]] inline audit_report judge(const audit_program& program) {
    audit_report report;
    report.name = program.name;
    report.edges = program.edges;
    report.limits = program.limits;
    report.memory.chunk = program.chunk_bytes;
    detail::audit_order order(program);
    detail::add_nodes(report, program, order);
    if (!order.cycle().empty()) {
        report.findings.push_back(
            {"D7",
             audit_report::severity::error,
             "the edges of " + std::to_string(order.cycle().size()) + " nodes form a cycle: the graph cannot be instantiated",
             "take away one of its edges",
             audit_report::none,
             audit_report::none,
             order.cycle(),
             order.cycle(),
             {}});
        report.limits.push_back("A graph with a cycle has no order: nothing else was judged.");
        return report;
    }
    detail::audit_uses found(program, order);
    detail::add_allocations(report, program, order, found);
    detail::audit_rules(program, order, found, report).judge();
    detail::audit_races(program, order, found, report).judge();
    for (const audit_report::allocation& a : report.allocations) {
        if (report.nodes[a.allocated_by].parent != audit_report::none) {
            report.limits.push_back("Memory of moved children lies in blocks of their parent (rule M6): physical bytes are "
                                    "counted by address alone.");
            break;
        }
    }
    report.memory.driver = detail::bytes_in_chunks(report, program.chunk_bytes);
    detail::plan_lifetimes(report, program, order);
    return report;
}

}  // namespace v0
}  // namespace allograph
