#pragma once

#include <allograph/model/audit_report.hpp>
#include <allograph/model/detail/json_text.hpp>
#include <allograph/version.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// How machines are told a kind of node.
inline const char* kind_id(node_kind kind) noexcept {
    switch (kind) {
    case node_kind::alloc:
        return "alloc";
    case node_kind::free:
        return "free";
    case node_kind::memset:
        return "memset";
    case node_kind::memcpy:
        return "memcpy";
    case node_kind::kernel:
        return "kernel";
    case node_kind::host:
        return "host";
    case node_kind::empty:
        return "empty";
    case node_kind::child:
        return "child";
    case node_kind::conditional:
        return "conditional";
    case node_kind::event_record:
        return "event_record";
    case node_kind::event_wait:
        return "event_wait";
    case node_kind::semaphore_signal:
        return "semaphore_signal";
    case node_kind::semaphore_wait:
        return "semaphore_wait";
    case node_kind::batch_mem_op:
        return "batch_mem_op";
    case node_kind::captured:  // of programs alone: the driver has no such kind
        break;
    }
    return "unknown";
}

inline const char* access_id(audit_report::access how) noexcept {
    return how == audit_report::access::read ? "read" : how == audit_report::access::write ? "write" : "unknown";
}

}  // namespace detail

inline std::string audit_report::json() const {
    const std::string version = std::to_string(ALLOGRAPH_VERSION_MAJOR) + "." + std::to_string(ALLOGRAPH_VERSION_MINOR) + "." +
                                std::to_string(ALLOGRAPH_VERSION_PATCH);
    detail::json_writer out;
    out.open('{').key("allograph").value(version).line();
    out.key("graph").open('{').key("name").value(name);
    out.key("nodes").value(std::uint64_t{nodes.size()}).key("edges").value(std::uint64_t{edges.size()}).close('}').line();
    out.key("nodes").open('[');
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const node& each = nodes[i];
        out.line().open('{').key("id").place(i).key("kind").value(detail::kind_id(each.kind)).key("name").value(each.name);
        out.key("parent").place(each.parent).key("level").value(std::uint64_t{each.level}).close('}');
    }
    out.close(']').line().key("edges").open('[');
    for (const edge& each : edges) {
        out.line().open('{').key("from").place(each.from).key("to").place(each.to);
        out.key("type").value(each.programmatic ? "programmatic" : "default").close('}');
    }
    out.close(']').line().key("allocations").open('[');
    for (std::uint32_t i = 0; i < allocations.size(); ++i) {
        const allocation& each = allocations[i];
        out.line()
            .open('{')
            .key("id")
            .place(i)
            .key("address")
            .value(detail::hex_text(each.address))
            .key("bytes")
            .value(each.bytes);
        out.key("device")
            .literal(std::to_string(each.device))
            .key("allocated_by")
            .place(each.allocated_by)
            .key("freed_by")
            .place(each.freed_by);
        out.key("first_level").place(each.first_level).key("last_level").place(each.last_level).key("uses").open('[');
        for (const use& by : each.uses) {
            out.open('{').key("node").place(by.node).key("access").value(detail::access_id(by.how)).close('}');
        }
        out.close(']')
            .key("planned_offset")
            .literal(each.planned_offset == no_offset ? "null" : std::to_string(each.planned_offset))
            .close('}');
    }
    out.close(']').line().key("findings").open('[');
    for (const finding& each : findings) {
        out.line()
            .open('{')
            .key("rule")
            .value(each.rule)
            .key("severity")
            .value(each.severity == severity::error ? "error" : "note");
        out.key("message").value(each.message).key("fix").value(each.fix).key("allocation").place(each.allocation);
        out.key("overlaps").place(each.overlaps).key("nodes").places(each.nodes).key("path").places(each.path);
        out.key("missing").places(each.missing).close('}');
    }
    out.close(']').line().key("footprint").open('{').key("chunk").value(memory.chunk).key("driver").value(memory.driver);
    out.key("planned").value(memory.planned).key("lower_bound").value(memory.lower_bound).close('}').line();
    out.key("limits").open('[');
    for (const std::string& each : limits) {
        out.value(each);
    }
    out.close(']').close('}');
    return out.take() + "\n";
}

}  // namespace v0
}  // namespace allograph
