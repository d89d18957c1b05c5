#pragma once

#include <algorithm>
#include <vector>

#include <allograph/model/detail/audit_order.hpp>
#include <allograph/model/first_fit.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Physical bytes of a graph: the chunks that the addresses of its allocations touch, each once (rule M3).
inline std::uint64_t bytes_in_chunks(const audit_report& report, std::uint64_t chunk) {
    struct stretch {
        int device;
        std::uint64_t first;
        std::uint64_t end;
    };
    std::vector<stretch> all;
    all.reserve(report.allocations.size());
    for (const audit_report::allocation& a : report.allocations) {
        if (a.bytes != 0) {
            all.push_back({a.device, a.address / chunk, (a.address + a.bytes - 1) / chunk + 1});
        }
    }
    std::sort(all.begin(), all.end(),
              [](const stretch& x, const stretch& y) { return x.device != y.device ? x.device < y.device : x.first < y.first; });
    std::uint64_t chunks = 0;
    std::uint64_t counted = 0;  // of this device, up to here
    for (std::size_t i = 0; i < all.size(); ++i) {
        counted = i == 0 || all[i].device != all[i - 1].device ? 0 : counted;
        const std::uint64_t from = std::max(counted, all[i].first);
        chunks += all[i].end > from ? all[i].end - from : 0;
        counted = std::max(counted, all[i].end);
    }
    return chunks * chunk;
}

/// Plans the allocations that the graph frees, an arena a device, by the planner's instant heuristics. What leaves the
/// graph, and what is freed in no order, keeps its own bytes.
inline void plan_lifetimes(audit_report& report, audit_order& order) {
    constexpr std::uint64_t alignment = 512;  // the driver's own
    constexpr std::uint64_t most_work = std::uint64_t{1} << 22;
    std::vector<model::order_edge> edges;
    for (std::uint32_t point = 1; point <= order.point_count(); ++point) {
        for (const std::uint32_t before : order.points_before(point)) {
            edges.push_back({before - 1, point - 1});
        }
    }
    std::vector<int> devices;
    std::vector<bool> ends(report.allocations.size(), false);
    for (std::uint32_t i = 0; i < report.allocations.size(); ++i) {
        const audit_report::allocation& a = report.allocations[i];
        ends[i] = a.freed_by != audit_report::none && order.before(a.allocated_by, a.freed_by);
        if (!ends[i]) {
            const std::uint64_t bytes = (a.bytes + alignment - 1) / alignment * alignment;
            report.memory.planned += bytes;
            report.memory.lower_bound += bytes;
        } else if (std::find(devices.begin(), devices.end(), a.device) == devices.end()) {
            devices.push_back(a.device);
        }
    }
    for (const int device : devices) {
        std::vector<model::graph_buffer> buffers;
        std::vector<std::uint32_t> planned;
        for (std::uint32_t i = 0; i < report.allocations.size(); ++i) {
            const audit_report::allocation& a = report.allocations[i];
            if (ends[i] && a.device == device) {
                buffers.push_back({(a.bytes + alignment - 1) / alignment * alignment, alignment, order.place(a.allocated_by) - 1,
                                   order.place(a.freed_by) - 1});
                planned.push_back(i);
            }
        }
        const auto problem = model::placement_problem::of_graph(order.point_count(), edges, buffers);
        const model::placement placed = model::place_at_once(problem, model::lower_bound(problem, most_work));
        report.memory.planned += placed.bytes;
        report.memory.lower_bound += placed.lower_bound;
        for (std::size_t k = 0; k < planned.size(); ++k) {
            report.allocations[planned[k]].planned_offset = placed.offsets[k];
        }
    }
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
