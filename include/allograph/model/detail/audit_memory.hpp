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

/// The part of an order that decides which lifetimes may share bytes: what comes after a free and before an allocation.
/// All that is allocated before that part begins together, and all that is freed behind it ends together, so that the
/// planner works on few nodes where little can be shared.
class lifetime_order {
public:
    explicit lifetime_order(const audit_program& program, const audit_order& order)
        : number_(order.point_count() + std::size_t{1}, 0) {
        const std::uint32_t points = order.point_count();
        std::vector<bool> after_free(points + std::size_t{1}, false);
        std::vector<bool> before_alloc(points + std::size_t{1}, false);
        std::vector<node_kind> kinds(points + std::size_t{1}, node_kind::empty);
        for (std::uint32_t v = 0; v < program.nodes.size(); ++v) {
            kinds[order.place(v)] = program.nodes[v].kind;
        }
        for (std::uint32_t p = 1; p <= points; ++p) {
            after_free[p] = kinds[p] == node_kind::free;
            for (const std::uint32_t d : order.points_before(p)) {
                after_free[p] = after_free[p] || after_free[d];
            }
        }
        for (std::uint32_t p = points; p != 0; --p) {
            before_alloc[p] = before_alloc[p] || kinds[p] == node_kind::alloc;
            for (const std::uint32_t d : order.points_before(p)) {
                before_alloc[d] = before_alloc[d] || before_alloc[p];
            }
        }
        for (std::uint32_t p = 1; p <= points; ++p) {
            number_[p] = after_free[p] && before_alloc[p] ? ++kept_ : 0;
        }
        if (kept_ == 0) {
            edges_.push_back({begin(), end()});
        }
        std::vector<bool> leads_on(kept_ + std::size_t{1}, false);
        for (std::uint32_t p = 1; p <= points; ++p) {
            if (number_[p] == 0) {
                continue;
            }
            bool root = true;
            for (const std::uint32_t d : order.points_before(p)) {
                if (number_[d] != 0) {
                    edges_.push_back({number_[d], number_[p]});
                    leads_on[number_[d]] = true;
                    root = false;
                }
            }
            if (root) {
                edges_.push_back({begin(), number_[p]});
            }
        }
        for (std::uint32_t n = 1; n <= kept_; ++n) {
            if (!leads_on[n]) {
                edges_.push_back({n, end()});
            }
        }
    }

    [[nodiscard]] std::uint32_t nodes() const noexcept { return kept_ + 2; }
    [[nodiscard]] std::span<const model::order_edge> edges() const noexcept { return edges_; }
    [[nodiscard]] std::uint32_t allocated_at(std::uint32_t place) const noexcept {
        return number_[place] != 0 ? number_[place] : begin();
    }
    [[nodiscard]] std::uint32_t freed_at(std::uint32_t place) const noexcept {
        return number_[place] != 0 ? number_[place] : end();
    }

private:
    static constexpr std::uint32_t begin() noexcept { return 0; }
    [[nodiscard]] std::uint32_t end() const noexcept { return kept_ + 1; }

    std::vector<std::uint32_t> number_;  // of each point, where it is kept
    std::uint32_t kept_ = 0;
    std::vector<model::order_edge> edges_;
};

/// Plans the allocations that the graph frees, an arena a device, by the planner's instant heuristics. What leaves the
/// graph, and what is freed in no order, keeps its own bytes.
inline void plan_lifetimes(audit_report& report, const audit_program& program, audit_order& order) {
    constexpr std::uint64_t alignment = 512;  // the driver's own
    constexpr std::uint64_t most_work = std::uint64_t{1} << 22;
    const auto rounded = [](std::uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
    std::vector<int> devices;
    std::vector<bool> ends(report.allocations.size(), false);
    for (std::uint32_t i = 0; i < report.allocations.size(); ++i) {
        const audit_report::allocation& a = report.allocations[i];
        ends[i] = a.freed_by != audit_report::none && order.before(a.allocated_by, a.freed_by);
        if (!ends[i]) {
            report.memory.planned += rounded(a.bytes);
            report.memory.lower_bound += rounded(a.bytes);
        } else if (std::find(devices.begin(), devices.end(), a.device) == devices.end()) {
            devices.push_back(a.device);
        }
    }
    if (devices.empty()) {
        return;
    }
    const lifetime_order lives(program, order);
    for (const int device : devices) {
        std::vector<model::graph_buffer> buffers;
        std::vector<std::uint32_t> planned;
        for (std::uint32_t i = 0; i < report.allocations.size(); ++i) {
            const audit_report::allocation& a = report.allocations[i];
            if (ends[i] && a.device == device) {
                buffers.push_back({rounded(a.bytes), alignment, lives.allocated_at(order.place(a.allocated_by)),
                                   lives.freed_at(order.place(a.freed_by))});
                planned.push_back(i);
            }
        }
        const auto problem = model::placement_problem::of_graph(lives.nodes(), lives.edges(), buffers);
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
