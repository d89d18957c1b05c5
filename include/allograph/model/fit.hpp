#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <allograph/model/lower_bound.hpp>
#include <allograph/model/place.hpp>
#include <allograph/model/placement_problem.hpp>
#include <allograph/model/plan_options.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Order added to a program: the free of one buffer before the allocation of another.
struct fit_edge {
    std::uint32_t freed;
    std::uint32_t allocated;
};

struct fit_result {
    model::placement best;
    std::vector<fit_edge> added;
};

/// Adds order to a program until its buffers fit, one edge at a time: of some edges between buffers that are in each
/// other's way, the one that helps most. At the end it takes back the edges that turned out not to be needed.
class fit_search {
public:
    fit_search(std::uint32_t nodes, std::vector<model::order_edge>& edges, std::span<const model::graph_buffer> buffers,
               const plan_options& options, model::placement_options engine, fit_result& result)
        : nodes_(nodes), edges_(&edges), buffers_(buffers), options_(&options), engine_(engine), result_(&result),
          given_(edges.size()), tries_(std::clamp<std::size_t>(4'000'000 / (nodes + std::size_t{1}), 2, 24)),
          left_(std::max<std::size_t>(100, 100'000'000 / (nodes + std::size_t{1}))) {}

    void run() {
        state now = look_at(added_);
        while (!fits(now.placed) && left_ > 0) {
            if (now.bound.bytes <= limit() && search_longer(now)) {
                break;
            }
            state next;
            if (!find_edge(now, next)) {
                break;
            }
            now = std::move(next);
            if (now.placed.bytes < result_->best.bytes) {
                keep(now);
            }
        }
        if (fits(result_->best)) {
            take_back();
        }
        set_edges(result_->added);
    }

private:
    struct state {
        model::placement_problem problem;
        model::memory_bound bound;
        model::placement placed;
    };
    struct candidate {
        fit_edge edge;
        std::uint64_t gain;
        std::uint64_t path;  // the longest through the edge, in nodes: what it costs in concurrency
    };

    [[nodiscard]] std::uint64_t limit() const noexcept { return options_->most_bytes(); }
    [[nodiscard]] bool fits(const model::placement& p) const noexcept { return p.bytes <= limit(); }
    [[nodiscard]] model::order_edge as_order(const fit_edge& e) const noexcept {
        return {buffers_[e.freed].free_node, buffers_[e.allocated].alloc_node};
    }

    void keep(const state& now) {
        result_->best = now.placed;
        result_->added = added_;
    }

    void set_edges(const std::vector<fit_edge>& added) {
        edges_->resize(given_);
        for (const fit_edge& e : added) {
            edges_->push_back(as_order(e));
        }
    }
    /// The program with these edges added. @throws std::invalid_argument for a cycle
    [[nodiscard]] state look_at(const std::vector<fit_edge>& added) {
        left_ -= left_ > 0 ? 1 : 0;
        set_edges(added);
        state s;
        s.problem = model::placement_problem::of_graph(nodes_, *edges_, buffers_);
        s.bound = model::lower_bound(s.problem);
        s.placed = model::place_at_once(s.problem, s.bound);
        return s;
    }
    bool search_longer(state& now) {
        model::placement found =
            model::place(now.problem, engine_, [&](const plan_progress& p) { return options_->report(p) && p.best > limit(); });
        if (found.bytes < now.placed.bytes) {
            now.placed = std::move(found);
        }
        if (now.placed.bytes < result_->best.bytes) {
            keep(now);
        }
        return fits(now.placed);
    }

    bool find_edge(const state& now, state& next) {
        set_edges(added_);
        order_ = model::detail::order_index(nodes_, *edges_);
        measure_paths();
        std::vector<candidate> candidates = candidates_of(now);
        bool found = false;
        candidate best{};
        for (const candidate& c : candidates) {
            added_.push_back(c.edge);
            try {
                state then = look_at(added_);
                const auto better = [&] {
                    if (fits(then.placed) != fits(next.placed)) {
                        return fits(then.placed);
                    }
                    if (!fits(then.placed) && then.placed.bytes != next.placed.bytes) {
                        return then.placed.bytes < next.placed.bytes;
                    }
                    return fits(then.placed) || then.bound.bytes == next.bound.bytes ? c.path < best.path
                                                                                     : then.bound.bytes < next.bound.bytes;
                };
                if (!found || better()) {
                    found = true;
                    best = c;
                    next = std::move(then);
                }
            } catch (const std::invalid_argument&) {  // a cycle, which an order that is not exact did not see
            }
            added_.pop_back();
        }
        if (found) {
            added_.push_back(best.edge);
        }
        return found;
    }

    /// Edges between buffers that need their bytes at once: of the heaviest set of such, or, where only the placement is
    /// too large, between what lies on top and what it conflicts with.
    [[nodiscard]] std::vector<candidate> candidates_of(const state& now) const {
        std::vector<candidate> all;
        const auto offer = [&](std::uint32_t a, std::uint32_t b) {
            for (const auto& [first, second] : {std::pair{a, b}, std::pair{b, a}}) {
                if (legal(first, second)) {
                    all.push_back(made(first, second));
                }
            }
        };
        if (now.bound.bytes > limit()) {
            std::vector<std::uint32_t> heavy = now.bound.witness;
            std::sort(heavy.begin(), heavy.end(), [&](std::uint32_t a, std::uint32_t b) {
                return buffers_[a].size != buffers_[b].size ? buffers_[a].size > buffers_[b].size : a < b;
            });
            heavy.resize(std::min<std::size_t>(heavy.size(), 256));
            for (std::size_t i = 0; i < heavy.size(); ++i) {
                for (std::size_t k = 0; k < i; ++k) {
                    offer(heavy[i], heavy[k]);
                }
            }
        } else {
            for (std::uint32_t top = 0; top < buffers_.size(); ++top) {
                if (now.placed.offsets[top] + buffers_[top].size > limit()) {
                    for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
                        if (b != top && now.problem.conflict(top, b)) {
                            offer(top, b);
                        }
                    }
                }
            }
        }
        const auto promising = [](const candidate& x, const candidate& y) {
            return x.gain != y.gain   ? x.gain > y.gain
                   : x.path != y.path ? x.path < y.path
                                      : std::pair(x.edge.freed, x.edge.allocated) < std::pair(y.edge.freed, y.edge.allocated);
        };
        const std::size_t some = std::min(all.size(), tries_);
        std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(some), all.end(), promising);
        all.resize(some);
        for (std::size_t i = 0; i < some; ++i) {
            all.push_back(stretched(all[i].edge));
        }
        std::sort(all.begin(), all.end(), promising);
        const auto same = [](const candidate& x, const candidate& y) {
            return x.edge.freed == y.edge.freed && x.edge.allocated == y.edge.allocated;
        };
        all.erase(std::unique(all.begin(), all.end(), same), all.end());
        return all;
    }

    [[nodiscard]] bool legal(std::uint32_t freed, std::uint32_t allocated) const noexcept {
        const model::order_edge e = as_order({freed, allocated});
        return e.before != e.after && !order_.before(e.after, e.before) && !order_.before(e.before, e.after);
    }
    [[nodiscard]] candidate made(std::uint32_t freed, std::uint32_t allocated) const noexcept {
        return {{freed, allocated},
                std::min(buffers_[freed].size, buffers_[allocated].size),
                above_[buffers_[freed].free_node] + below_[buffers_[allocated].alloc_node]};
    }
    /// One edge that orders more: the last free that may come before the allocation, before the first that may follow.
    [[nodiscard]] candidate stretched(fit_edge e) const noexcept {
        for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
            if (order_.before(buffers_[e.freed].free_node, buffers_[b].free_node) && legal(b, e.allocated)) {
                e.freed = b;
            }
        }
        for (std::uint32_t b = 0; b < buffers_.size(); ++b) {
            if (order_.before(buffers_[b].alloc_node, buffers_[e.allocated].alloc_node) && legal(e.freed, b)) {
                e.allocated = b;
            }
        }
        return made(e.freed, e.allocated);
    }

    void measure_paths() {
        above_.assign(nodes_, 0);
        below_.assign(nodes_, 0);
        for (const std::uint32_t v : order_.topological()) {
            for (const std::uint32_t w : order_.successors(v)) {
                above_[w] = std::max(above_[w], above_[v] + 1);
            }
        }
        for (std::size_t i = nodes_; i-- > 0;) {
            const std::uint32_t v = order_.topological()[i];
            for (const std::uint32_t w : order_.successors(v)) {
                below_[v] = std::max(below_[v], below_[w] + 1);
            }
        }
    }

    void take_back() {
        added_ = result_->added;
        for (std::size_t i = 0; i < added_.size();) {
            const fit_edge dropped = added_[i];
            added_.erase(added_.begin() + static_cast<std::ptrdiff_t>(i));
            const state without = look_at(added_);
            if (fits(without.placed)) {
                keep(without);
            } else {
                added_.insert(added_.begin() + static_cast<std::ptrdiff_t>(i), dropped);
                ++i;
            }
        }
    }

    std::uint32_t nodes_;
    std::vector<model::order_edge>* edges_;
    std::span<const model::graph_buffer> buffers_;
    const plan_options* options_;
    model::placement_options engine_;
    fit_result* result_;
    std::size_t given_;
    std::size_t tries_;
    std::size_t left_;  // looks at the program that may be taken
    std::vector<fit_edge> added_;
    model::detail::order_index order_;
    std::vector<std::uint64_t> above_, below_;  // the longest paths to and from a node
};

/// Places buffers as the options ask for, and adds edges if it must to keep within their limit.
/// @param edges  those that are added are behind the others afterwards
inline fit_result place_within(std::uint32_t nodes, std::vector<model::order_edge>& edges,
                               std::span<const model::graph_buffer> buffers, const plan_options& options, std::size_t parts) {
    const model::placement_options engine = options.for_engine(parts);
    const auto problem = model::placement_problem::of_graph(nodes, edges, buffers);
    const auto report = [&](const plan_progress& state) { return options.report(state); };
    fit_result result{model::place(problem, engine, report), {}};
    if (result.best.bytes > options.most_bytes()) {
        fit_search(nodes, edges, buffers, options, engine, result).run();
    }
    return result;
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
