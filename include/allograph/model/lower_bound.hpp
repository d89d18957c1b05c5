#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <allograph/model/detail/buffer_orders.hpp>
#include <allograph/model/detail/max_flow.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model {

/// Bytes that every placement takes, and the buffers that show it.
struct memory_bound {
    std::uint64_t bytes = 0;             ///< the sizes of the witnesses added up
    std::vector<std::uint32_t> witness;  ///< buffers of which each two conflict, ascending
    bool exact = true;                   ///< no heavier set of buffers exists of which each two conflict
};

namespace detail {

/// The most bytes alive at one point of a line.
inline memory_bound peak_on_line(const placement_problem& problem) {
    const auto lifetimes = problem.lifetimes();
    const std::vector<std::uint32_t> begins = sorted_buffers(problem, [&](std::uint32_t b) { return lifetimes[b].lower; });
    const std::vector<std::uint32_t> ends = sorted_buffers(problem, [&](std::uint32_t b) { return lifetimes[b].upper; });
    memory_bound bound;
    std::uint64_t alive = 0;
    std::uint64_t when = 0;
    std::size_t ended = 0;
    for (const std::uint32_t b : begins) {
        while (lifetimes[ends[ended]].upper <= lifetimes[b].lower) {
            alive -= problem.size_of(ends[ended++]);
        }
        alive += problem.size_of(b);
        if (alive > bound.bytes) {
            bound.bytes = alive;
            when = lifetimes[b].lower;
        }
    }
    for (std::uint32_t b = 0; b < problem.size(); ++b) {
        if (problem.size_of(b) != 0 && lifetimes[b].lower <= when && when < lifetimes[b].upper) {
            bound.witness.push_back(b);
        }
    }
    return bound;
}

/// The most bytes alive at one point of one order that the graph may run in: a bound, not always the best. Of the two
/// orders tried, one runs what does not free as long as it can, the other takes the nodes level by level.
inline memory_bound peak_in_orders(const placement_problem& problem) {
    const order_index& order = problem.order();
    std::vector<std::uint64_t> allocated(order.nodes(), 0);
    std::vector<std::uint64_t> freed(order.nodes(), 0);
    const std::vector<std::uint32_t> buffers = sized_buffers(problem);
    for (const std::uint32_t b : buffers) {
        allocated[problem.ends()[b].alloc_node] += problem.size_of(b);
        freed[problem.ends()[b].free_node] += problem.size_of(b);
    }
    memory_bound best;
    best.exact = false;
    const auto try_order = [&](const std::vector<std::uint32_t>& run) {
        std::uint64_t alive = 0;
        std::uint64_t peak = 0;
        std::size_t at = 0;
        for (std::size_t i = 0; i < run.size(); ++i) {
            alive += allocated[run[i]];
            if (alive > peak) {
                peak = alive;
                at = i;
            }
            alive -= freed[run[i]];
        }
        if (peak <= best.bytes) {
            return;
        }
        std::vector<std::uint32_t> place(order.nodes());
        for (std::uint32_t i = 0; i < run.size(); ++i) {
            place[run[i]] = i;
        }
        best.bytes = peak;
        best.witness.clear();
        for (const std::uint32_t b : buffers) {
            if (place[problem.ends()[b].alloc_node] <= at && at <= place[problem.ends()[b].free_node]) {
                best.witness.push_back(b);
            }
        }
    };
    std::vector<std::uint32_t> missing(order.nodes(), 0);
    for (std::uint32_t v = 0; v < order.nodes(); ++v) {
        for (const std::uint32_t w : order.successors(v)) {
            ++missing[w];
        }
    }
    std::vector<std::uint32_t> run;
    std::vector<std::uint32_t> ready;
    std::vector<std::uint32_t> freeing;
    const auto make_ready = [&](std::uint32_t v) { (freed[v] > allocated[v] ? freeing : ready).push_back(v); };
    for (const std::uint32_t v : order.topological()) {
        if (missing[v] == 0) {
            make_ready(v);
        }
    }
    while (!ready.empty() || !freeing.empty()) {
        std::vector<std::uint32_t>& from = ready.empty() ? freeing : ready;
        const std::uint32_t v = from.back();
        from.pop_back();
        run.push_back(v);
        for (const std::uint32_t w : order.successors(v)) {
            if (--missing[w] == 0) {
                make_ready(w);
            }
        }
    }
    try_order(run);
    try_order({order.topological().begin(), order.topological().end()});
    return best;
}

/// The heaviest set of buffers of which each two conflict, by Dilworth's theorem with weights: all sizes, less the most
/// bytes that can be handed over from frees to later allocations. Bytes flow along the edges of the graph itself: each
/// node is an entry, where allocations draw, and an exit, where frees feed; nothing leaves an exit for its own entry.
inline memory_bound heaviest_antichain(const placement_problem& problem, std::uint64_t max_work) {
    const order_index& order = problem.order();
    const std::uint32_t n = order.nodes();
    const std::uint32_t source = 2 * n;
    const std::uint32_t sink = 2 * n + 1;
    std::vector<std::uint64_t> allocated(n, 0);
    std::vector<std::uint64_t> freed(n, 0);
    const std::vector<std::uint32_t> buffers = sized_buffers(problem);
    for (const std::uint32_t b : buffers) {
        allocated[problem.ends()[b].alloc_node] += problem.size_of(b);
        freed[problem.ends()[b].free_node] += problem.size_of(b);
    }
    max_flow flow(std::size_t{2} * n + 2, order.edges() + std::size_t{3} * n);
    for (std::uint32_t v = 0; v < n; ++v) {
        const std::uint32_t entry = 2 * v;
        const std::uint32_t exit = 2 * v + 1;
        for (const std::uint32_t w : order.successors(v)) {
            flow.add_arc(exit, 2 * w, max_flow::unlimited);
        }
        flow.add_arc(entry, exit, max_flow::unlimited);
        if (freed[v] != 0) {
            flow.add_arc(source, exit, freed[v]);
        }
        if (allocated[v] != 0) {
            flow.add_arc(entry, sink, allocated[v]);
        }
    }
    memory_bound bound;
    if (!flow.run(source, sink, max_work)) {
        return peak_in_orders(problem);
    }
    bound.bytes = problem.total() - flow.value();
    for (const std::uint32_t b : buffers) {
        if (flow.on_source_side(2 * problem.ends()[b].free_node + 1) && !flow.on_source_side(2 * problem.ends()[b].alloc_node)) {
            bound.witness.push_back(b);
        }
    }
    return bound;
}

}  // namespace detail

/// A number of bytes that no placement of the problem goes under: the heaviest set of buffers of which each two
/// conflict. On a line that is the peak of live bytes; in a graph, a maximum flow over its edges.
/// @param max_work  edges that the flow may look at; past it the peaks of two possible orders stand in, and `exact` is
///                  false
[[nodiscard]] inline memory_bound lower_bound(const placement_problem& problem,
                                              std::uint64_t max_work = std::uint64_t{1} << 26U) {
    return problem.is_line() ? detail::peak_on_line(problem) : detail::heaviest_antichain(problem, max_work);
}

}  // namespace model
}  // namespace v0
}  // namespace allograph
