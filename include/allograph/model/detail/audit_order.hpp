#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <allograph/model/audit_program.hpp>
#include <allograph/model/detail/reachability.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Who comes before whom in a graph and the graphs inside of it.
///
/// All of them become one order: a node that holds a graph begins before the graph's roots and ends behind its leaves, so
/// that what is inside comes after whatever the holder comes after. The bodies of a conditional stand behind each other,
/// for no two of them run in one launch of their node.
class audit_order {
public:
    static constexpr std::uint32_t none = audit_program::none;

    explicit audit_order(const audit_program& program)
        : program_(program), first_(program.nodes.size(), 0), last_(program.nodes.size(), 0) {
        link();
        owners_.reserve(program.nodes.size() + 1);
        owners_.push_back(none);  // numbers of points count from 1
        levels_.push_back(0);
        if (!program.graphs.empty()) {
            add_graph(0, 0);
        }
    }

    /// The nodes of a cycle, in its order (rule D7); else nothing. With a cycle there is no order.
    [[nodiscard]] const std::vector<std::uint32_t>& cycle() const noexcept { return cycle_; }

    /// `u` has ended before `v` begins, in every order that the graph allows.
    [[nodiscard]] bool before(std::uint32_t u, std::uint32_t v) {
        return last_[u] < first_[v] && points_.before_any(last_[u], std::span<const number>(&first_[v], 1));
    }

    /// Ascending along every path.
    [[nodiscard]] std::uint32_t place(std::uint32_t node) const noexcept { return first_[node]; }
    /// Nodes on the longest path to it; those inside of a graph lie deeper than their holder.
    [[nodiscard]] std::uint32_t level(std::uint32_t node) const noexcept { return levels_[first_[node]]; }
    [[nodiscard]] std::uint32_t deepest() const noexcept { return *std::max_element(levels_.begin(), levels_.end()); }

    /// A shortest path, both ends included; empty where there is none.
    [[nodiscard]] std::vector<std::uint32_t> path(std::uint32_t u, std::uint32_t v) const {
        std::vector<number> reached_from(owners_.size(), 0);
        std::vector<number> waiting{first_[v]};
        const number goal = last_[u];
        for (std::size_t i = 0; i < waiting.size() && reached_from[goal] == 0; ++i) {
            for (const number d : points_.dependencies(waiting[i])) {
                if (reached_from[d] == 0 && d >= goal) {
                    reached_from[d] = waiting[i];
                    waiting.push_back(d);
                }
            }
        }
        std::vector<std::uint32_t> nodes;
        if (reached_from[goal] != 0) {
            for (number at = goal; at != 0; at = at == first_[v] ? 0 : reached_from[at]) {
                if (nodes.empty() || nodes.back() != owners_[at]) {
                    nodes.push_back(owners_[at]);
                }
            }
        }
        return nodes;
    }

    // The points of the order, for whoever needs it as a graph: 1 to `point_count`.
    [[nodiscard]] std::uint32_t point_count() const noexcept { return points_.size(); }
    [[nodiscard]] std::span<const std::uint32_t> points_before(std::uint32_t point) const noexcept {
        return points_.dependencies(point);
    }

private:
    using number = reachability::number;

    /// Each node's edges, in both directions.
    void link() {
        const std::size_t n = program_.nodes.size();
        into_begin_.assign(n + 1, 0);
        out_begin_.assign(n + 1, 0);
        for (const audit_report::edge& e : program_.edges) {
            ++into_begin_[e.to + 1];
            ++out_begin_[e.from + 1];
        }
        for (std::size_t v = 0; v < n; ++v) {
            into_begin_[v + 1] += into_begin_[v];
            out_begin_[v + 1] += out_begin_[v];
        }
        into_.resize(program_.edges.size());
        out_.resize(program_.edges.size());
        std::vector<std::uint32_t> next_into(into_begin_.begin(), into_begin_.end() - 1);
        std::vector<std::uint32_t> next_out(out_begin_.begin(), out_begin_.end() - 1);
        for (const audit_report::edge& e : program_.edges) {
            into_[next_into[e.to]++] = e.from;
            out_[next_out[e.from]++] = e.to;
        }
    }
    [[nodiscard]] std::span<const std::uint32_t> into(std::uint32_t v) const noexcept {
        return {into_.data() + into_begin_[v], into_.data() + into_begin_[v + 1]};
    }
    [[nodiscard]] std::span<const std::uint32_t> out_of(std::uint32_t v) const noexcept {
        return {out_.data() + out_begin_[v], out_.data() + out_begin_[v + 1]};
    }

    /// The nodes of one graph, each behind those that it depends on. Nodes with no order between them stay as they were
    /// listed: mostly that is the order in which they were added, in which paths are found fastest.
    std::vector<std::uint32_t> sorted(const audit_program::graph& g) {
        std::vector<std::uint32_t> list;
        list.reserve(g.node_count);
        std::vector<std::uint32_t> missing(g.node_count, 0);
        bool listed_in_order = true;
        for (std::uint32_t i = 0; i < g.node_count; ++i) {
            const std::uint32_t v = g.first_node + i;
            missing[i] = static_cast<std::uint32_t>(into(v).size());
            for (const std::uint32_t u : into(v)) {
                listed_in_order = listed_in_order && u < v;
            }
        }
        if (listed_in_order) {
            for (std::uint32_t i = 0; i < g.node_count; ++i) {
                list.push_back(g.first_node + i);
            }
            return list;
        }
        for (std::uint32_t i = 0; i < g.node_count; ++i) {
            if (missing[i] == 0) {
                list.push_back(g.first_node + i);
            }
        }
        for (std::size_t i = 0; i < list.size(); ++i) {
            for (const std::uint32_t w : out_of(list[i])) {
                if (--missing[w - g.first_node] == 0) {
                    list.push_back(w);
                }
            }
        }
        if (list.size() < g.node_count) {
            find_cycle(g, missing);
        }
        return list;
    }

    /// Every node that is left has a predecessor that is left: going backwards meets a node twice.
    void find_cycle(const audit_program::graph& g, const std::vector<std::uint32_t>& missing) {
        std::uint32_t at = g.first_node;
        while (missing[at - g.first_node] == 0) {
            ++at;
        }
        std::vector<bool> seen(g.node_count, false);
        std::vector<std::uint32_t> walked;
        while (!seen[at - g.first_node]) {
            seen[at - g.first_node] = true;
            walked.push_back(at);
            for (const std::uint32_t u : into(at)) {
                if (missing[u - g.first_node] != 0) {
                    at = u;
                    break;
                }
            }
        }
        cycle_.assign(std::find(walked.begin(), walked.end(), at), walked.end());
        std::reverse(cycle_.begin(), cycle_.end());
    }

    void add_graph(std::uint32_t index, number entry) {
        const audit_program::graph& g = program_.graphs[index];
        for (const std::uint32_t v : sorted(g)) {
            points_.reserve(into(v).size() + 1);
            number* const pending = points_.pending();
            std::size_t degree = 0;
            for (const std::uint32_t u : into(v)) {
                pending[degree++] = last_[u];
            }
            if (degree == 0 && entry != 0) {
                pending[degree++] = entry;
            }
            first_[v] = last_[v] = add_point(v, degree, 1);
            const node_kind kind = program_.nodes[v].kind;
            if (kind == node_kind::child || kind == node_kind::conditional) {
                add_inside(v);
            }
        }
    }

    void add_inside(std::uint32_t holder) {
        const auto at = std::lower_bound(program_.graphs.begin() + 1, program_.graphs.end(), holder,
                                         [](const audit_program::graph& g, std::uint32_t h) { return g.holder < h; });
        for (auto inner = at; inner != program_.graphs.end() && inner->holder == holder; ++inner) {
            add_graph(static_cast<std::uint32_t>(inner - program_.graphs.begin()), last_[holder]);
            points_.reserve(inner->node_count + std::size_t{1});
            number* const pending = points_.pending();
            std::size_t degree = 0;
            for (std::uint32_t v = inner->first_node; v < inner->first_node + inner->node_count; ++v) {
                if (out_of(v).empty() && last_[v] != 0) {
                    pending[degree++] = last_[v];
                }
            }
            if (degree == 0) {
                pending[degree++] = last_[holder];
            }
            last_[holder] = add_point(holder, degree, 0);
        }
    }

    /// @param deeper  than what it depends on
    number add_point(std::uint32_t owner, std::size_t degree, std::uint32_t deeper) {
        std::uint32_t level = 0;
        for (std::size_t i = 0; i < degree; ++i) {
            level = std::max(level, levels_[points_.pending()[i]] + deeper);
        }
        owners_.push_back(owner);
        levels_.push_back(level);
        return points_.add(degree, program_.nodes[owner].kind == node_kind::free);
    }

    const audit_program& program_;
    std::vector<std::uint32_t> into_begin_, into_, out_begin_, out_;
    reachability points_;
    std::vector<number> first_, last_;   // of each node, where it begins and ends
    std::vector<std::uint32_t> owners_;  // of each point, its node
    std::vector<std::uint32_t> levels_;  // of each point
    std::vector<std::uint32_t> cycle_;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
