#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <allograph/model/detail/broken_rules.hpp>
#include <allograph/model/node_builder.hpp>
#include <allograph/model/outputs.hpp>
#include <allograph/model/verdict.hpp>

namespace allograph {
inline namespace v0 {

/// What a static graph does at the first broken rule.
enum class on_mistake : std::uint8_t {
    remember,       ///< keeps it for `result()`, and takes no further notice of anything
    stop_the_build  ///< calls a function that is not constexpr and is named after the rule
};

/// The model of a graph in constant expressions: it takes a program, and keeps to fixed arrays and few steps, so that
/// 1,000 nodes fit within what compilers allow by default.
///
/// For each node it keeps which nodes come before it, as a row of bits: every question is then one bit.
/// @tparam Nodes        at most this many nodes
/// @tparam Allocations  at most this many allocations
template <std::size_t Nodes = 1024, std::size_t Allocations = 256, on_mistake Mistakes = on_mistake::remember>
class static_graph : public node_builder<static_graph<Nodes, Allocations, Mistakes>, graph_kind::memory> {
public:
    /// @param races  two nodes that touch the same memory in no order, one of them writing, are a mistake (rule O6)
    constexpr explicit static_graph(bool races = false, std::uint32_t graph_id = detail::model_graph_id) noexcept
        : id_(graph_id), races_(races) {}
    static_graph(const static_graph&) = delete;
    static_graph& operator=(const static_graph&) = delete;

    /// What `node_builder` calls, one for each kind of node: checks it, and keeps its place in the order.
    constexpr alloc_result emit_alloc(const dependencies& deps, const alloc_request& request) {
        begin(deps);
        if (allocation_count_ == Allocations) {
            detail::broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
        }
        allocations_[allocation_count_] = {count_, none, none, deps.where(), false};
        const std::uint64_t address = next_address_;
        next_address_ += (request.bytes + 511) / 512 * 512;
        return {finish(deps), address, allocation_count_++};
    }
    /// Enters a free.
    constexpr node emit_free(const dependencies& deps, const free_request& request) {
        begin(deps);
        if (request.allocation.graph == id_) {
            if (deps.inferred()) {
                infer(request.allocation.index, true);
            }
            check_free(deps, request.allocation.index);
        }
        return finish(deps);
    }
    /// Enters a memset.
    constexpr node emit_memset(const dependencies& deps, const memset_request& request) {
        return add(deps, std::span<const memory_use>(&request.use, 1));
    }
    /// Enters a copy.
    constexpr node emit_memcpy(const dependencies& deps, const memcpy_request& request) {
        const memory_use uses[] = {request.from.use, request.to.use};
        return add(deps, uses);
    }
    /// Enters a kernel by its uses.
    template <class Kernel, class... Args>
    constexpr node emit_kernel(const dependencies& deps, std::span<const memory_use> uses, const Kernel&, const launch_config&,
                               const Args&...) {
        return add(deps, uses);
    }
    /// Enters a host function by its uses; it is not called.
    template <class F>
    constexpr node emit_host(const dependencies& deps, std::span<const memory_use> uses, F&&) {
        return add(deps, uses);
    }
    /// Enters captured work as one node; it does not run.
    template <class F>
    constexpr node emit_captured(const dependencies& deps, std::span<const memory_use> uses, F&) {
        return add(deps, uses);
    }
    /// Enters an empty node.
    constexpr node emit_empty(const dependencies& deps) { return add(deps, {}); }

    /// Enters an edge.
    constexpr void emit_dependency(const node& from, const node& to, source_line where) {
        const std::uint32_t first = resolve(from, where);
        const std::uint32_t second = resolve(to, where);
        if (first == none || second == none) {
            return;
        }
        if (has_edge(first, second)) {
            return mistake(rule::D6, {}, {}, where);
        }
        if (first == second || before(second, first)) {
            return mistake(rule::D7, {}, {}, where);
        }
        if (late_count_ == Nodes) {
            detail::broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
        }
        late_[late_count_++] = {first, second};
        descending_ = descending_ || first > second;
        for (std::uint32_t n = 0; n < count_; ++n) {
            if (n == second || before(second, n)) {
                include(n, first);
            }
        }
    }

    /// Gives an allocation its fate: an output, or auto-free.
    constexpr void set_fate(allocation_ref which) noexcept {
        if (which.graph == id_) {
            allocations_[which.index].has_fate = true;
        }
    }
    /// To be called last: an allocation without a fate is a mistake (rule F10).
    constexpr void require_fates() {
        for (std::uint32_t a = 0; a < allocation_count_; ++a) {
            if (!allocations_[a].has_fate) {
                mistake(rule::F10, allocations_[a].where, {}, allocations_[a].where);
            }
        }
    }

    /// The first rule that was broken, if any.
    [[nodiscard]] constexpr verdict result() const noexcept { return found_; }
    /// Nodes that were entered.
    [[nodiscard]] constexpr std::uint32_t node_count() const noexcept { return count_; }
    /// Allocations that were entered.
    [[nodiscard]] constexpr std::uint32_t allocation_count() const noexcept { return allocation_count_; }

private:
    using rule = detail::broken_rule_id;
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    static constexpr std::size_t words = (Nodes + 63) / 64;
    static constexpr std::size_t most_uses = 4 * Nodes;
    static constexpr std::size_t most_edges = 4 * Nodes;  // that nodes are added with; late ones come extra

    struct allocation {
        std::uint32_t made_by;
        std::uint32_t freed_by;
        std::uint32_t last_use;  // the uses form a list
        source_line where;
        bool has_fate;
    };
    struct use {
        std::uint32_t node;
        std::uint32_t before;  // the next in the list
        bool writes;
    };
    struct edge {
        std::uint32_t from;
        std::uint32_t to;
    };

    [[nodiscard]] constexpr bool before(std::uint32_t first, std::uint32_t second) const noexcept {
        return (rows_[second][first / 64] >> (first % 64) & 1) != 0;
    }
    [[nodiscard]] constexpr bool has_edge(std::uint32_t from, std::uint32_t to) const noexcept {
        for (std::uint32_t e = edges_of_[to]; e < edges_of_[to + 1]; ++e)
            if (edges_[e] == from)
                return true;
        for (std::uint32_t e = 0; e < late_count_; ++e)
            if (late_[e].from == from && late_[e].to == to)
                return true;
        return false;
    }
    /// Puts a node, and all that come before it, before `n`.
    constexpr void include(std::uint32_t n, std::uint32_t first) noexcept {
        const std::size_t last_word = descending_ ? words - 1 : first / 64;
        for (std::size_t w = 0; w <= last_word; ++w)
            rows_[n][w] |= rows_[first][w];
        rows_[n][first / 64] |= std::uint64_t{1} << (first % 64);
    }

    constexpr void mistake(rule what, source_line allocated, source_line used, source_line at) {
        if constexpr (Mistakes == on_mistake::stop_the_build) {
            detail::stop_the_build(what, allocated.line, used.line, at.line);
        } else if (found_.rule == nullptr) {
            found_ = {detail::rule_name(what), at, allocated, used};
        }
    }

    constexpr std::uint32_t resolve(const node& n, source_line where) {
        const detail::node_parts& parts = detail::handle_access::parts(n);
        if (parts.graph == id_ && parts.index < count_) {
            return parts.index;
        }
        const bool spent = parts.graph != 0 && parts.index == detail::spent_index;
        mistake(spent ? rule::F9 : parts.graph == 0 && parts.handle == nullptr ? rule::D4 : rule::D3, {}, {}, where);
        return none;
    }

    constexpr void begin(const dependencies& deps) {
        if (count_ == Nodes) {
            detail::broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
        }
        const std::size_t given = deps.size();
        const std::uint32_t first_edge = edges_of_[count_];
        for (std::size_t i = 0; i < given; ++i) {
            const std::uint32_t d = resolve(deps[i], deps.where());
            if (d == none) {
                continue;
            }
            for (std::uint32_t e = first_edge; e < edge_count_; ++e)
                if (edges_[e] == d)
                    mistake(rule::D2, {}, lines_[d], deps.where());
            keep_edge(d);
            include(count_, d);
        }
    }
    constexpr node finish(const dependencies& deps) noexcept {
        if (deps.inferred()) {
            drop_implied_edges();
        }
        lines_[count_] = deps.where();
        edges_of_[count_ + 1] = edge_count_;
        return detail::handle_access::make_node(nullptr, id_, count_++);
    }
    constexpr void keep_edge(std::uint32_t from) {
        if (edge_count_ == most_edges) {
            detail::broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
        }
        edges_[edge_count_++] = from;
    }

    constexpr node add(const dependencies& deps, std::span<const memory_use> uses) {
        begin(deps);
        if (deps.inferred())
            for (const memory_use& u : uses)
                if (u.allocation.graph == id_)
                    infer(u.allocation.index, u.how == access::write);
        for (const memory_use& u : uses)
            if (u.allocation.graph == id_)
                check_use(deps, u);
        return finish(deps);
    }

    constexpr void check_use(const dependencies& deps, const memory_use& u) {
        allocation& a = allocations_[u.allocation.index];
        if (a.freed_by != none) {
            const bool others = allocations_[allocation_count_ - 1].made_by > a.freed_by;
            return mistake(others ? rule::X9 : rule::O2, a.where, lines_[a.freed_by], deps.where());
        }
        if (!before(a.made_by, count_)) {
            return mistake(rule::O1, a.where, {}, deps.where());
        }
        if (races_) {
            for (std::uint32_t i = a.last_use; i != none; i = uses_[i].before) {
                if ((uses_[i].writes || u.how == access::write) && uses_[i].node != count_ && !before(uses_[i].node, count_)) {
                    mistake(rule::O6, a.where, lines_[uses_[i].node], deps.where());
                }
            }
        }
        if (use_count_ == most_uses) {
            detail::broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
        }
        uses_[use_count_] = {count_, a.last_use, u.how == access::write};
        a.last_use = use_count_++;
    }

    constexpr void check_free(const dependencies& deps, std::uint32_t index) {
        allocation& a = allocations_[index];
        if (a.freed_by != none) {
            return mistake(rule::F1, a.where, lines_[a.freed_by], deps.where());
        }
        for (std::uint32_t i = a.last_use; i != none; i = uses_[i].before)
            if (!before(uses_[i].node, count_))
                return mistake(rule::O3, a.where, lines_[uses_[i].node], deps.where());
        if (!before(a.made_by, count_)) {
            return mistake(rule::O4, a.where, {}, deps.where());
        }
        a.freed_by = count_;
        a.has_fate = true;
    }

    /// Puts the pending node behind what its use needs.
    constexpr void infer(std::uint32_t index, bool writes) {
        const allocation& a = allocations_[index];
        if (a.freed_by != none) {
            return;
        }
        depend_on(a.made_by);
        for (std::uint32_t i = a.last_use; i != none; i = uses_[i].before)
            if (writes || uses_[i].writes)
                depend_on(uses_[i].node);
    }
    constexpr void depend_on(std::uint32_t n) {
        for (std::uint32_t e = edges_of_[count_]; e < edge_count_; ++e)
            if (edges_[e] == n)
                return;
        keep_edge(n);
        include(count_, n);
    }
    /// Leaves the edges to the pending node that no path implies.
    constexpr void drop_implied_edges() noexcept {
        const std::uint32_t first_edge = edges_of_[count_];
        std::uint32_t kept = first_edge;
        for (std::uint32_t e = first_edge; e < edge_count_; ++e) {
            bool implied = false;
            for (std::uint32_t other = first_edge; other < edge_count_; ++other)
                implied = implied || before(edges_[e], edges_[other]);
            implied_[e - first_edge] = implied;
        }
        for (std::uint32_t e = first_edge; e < edge_count_; ++e)
            if (!implied_[e - first_edge])
                edges_[kept++] = edges_[e];
        edge_count_ = kept;
    }

    std::uint32_t id_;
    bool races_;
    bool descending_ = false;  // an edge was added that leads to an earlier node
    std::uint32_t count_ = 0;
    std::uint32_t allocation_count_ = 0;
    std::uint32_t use_count_ = 0;
    std::uint32_t edge_count_ = 0;
    std::uint32_t late_count_ = 0;
    std::uint64_t next_address_ = 512;
    verdict found_{};
    std::uint64_t rows_[Nodes][words]{};
    source_line lines_[Nodes]{};
    std::uint32_t edges_[most_edges]{};    // what nodes depend on, node by node
    std::uint32_t edges_of_[Nodes + 1]{};  // where those of a node begin
    edge late_[Nodes]{};
    allocation allocations_[Allocations]{};
    use uses_[most_uses]{};
    bool implied_[Nodes]{};
};

}  // namespace v0
}  // namespace allograph
