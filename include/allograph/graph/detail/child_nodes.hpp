#pragma once

#include <allograph/driver/more_node_calls.hpp>
#include <allograph/graph/detail/ledger.hpp>
#include <allograph/model/detail/recorder_family.hpp>
#include <allograph/model/node_builder.hpp>

namespace allograph {
inline namespace v0 {

template <graph_kind Kind, checking Checks>
class basic_graph;
template <graph_kind Kind, checking Checks, class Fates>
class graph_exec;
template <checking Checks>
struct moved_child;

/// A node that runs a graph.
using child_node = typed_node<node_kind::child>;

struct because_a_memory_graph_becomes_a_child_by_moving_write_std_move {};
struct because_moving_a_memory_graph_into_another_needs_the_headers_of_cuda_12_9 {};
struct because_only_a_memory_graph_can_hold_a_memory_graph {};
struct because_a_moved_child_gains_no_memory_nodes_move_them_in_before_it_moves {};
struct because_the_body_of_a_conditional_cannot_hold_memory_nodes_move_them_into_the_outer_graph {};
struct because_a_graph_that_another_holds_is_no_child_again {};
struct because_a_graph_inside_of_its_executable_is_no_child_write_release_graph {};
struct because_parent_and_child_check_both_or_neither {};
struct because_a_child_is_a_graph_or_a_memory_graph {};

namespace detail {

template <class G>
inline constexpr int child_form = 0;
template <checking Checks>
inline constexpr int child_form<basic_graph<graph_kind::plain, Checks>> = 1;
template <checking Checks>
inline constexpr int child_form<basic_graph<graph_kind::memory, Checks>> = 2;
template <checking Checks>
inline constexpr int child_form<basic_graph<graph_kind::moved_child, Checks>> = 3;
template <checking Checks>
inline constexpr int child_form<basic_graph<graph_kind::conditional_body, Checks>> = 3;
template <graph_kind Kind, checking Checks, class Fates>
inline constexpr int child_form<graph_exec<Kind, Checks, Fates>> = 4;

template <class G, checking Checks>
inline constexpr bool checks_as = false;
template <graph_kind Kind, checking Checks>
inline constexpr bool checks_as<basic_graph<Kind, Checks>, Checks> = true;

template <class G, checking Checks>
concept copied_child = child_form<std::remove_cvref_t<G>> == 1 && checks_as<std::remove_cvref_t<G>, Checks>;
/// `G` as a forwarding reference deduces it.
template <class G, graph_kind Kind, checking Checks>
concept child_by_move = Kind == graph_kind::memory && driver::moves_children && child_form<G> == 2 && checks_as<G, Checks>;
template <class G, graph_kind Kind, checking Checks>
concept child_graph = copied_child<G, Checks> || child_by_move<G, Kind, Checks>;

template <graph_kind Kind>
using why_no_memory_child = std::conditional_t<
    Kind == graph_kind::plain, because_only_a_memory_graph_can_hold_a_memory_graph,
    std::conditional_t<
        Kind == graph_kind::moved_child, because_a_moved_child_gains_no_memory_nodes_move_them_in_before_it_moves,
        std::conditional_t<
            Kind == graph_kind::conditional_body,
            because_the_body_of_a_conditional_cannot_hold_memory_nodes_move_them_into_the_outer_graph,
            std::conditional_t<driver::moves_children, because_a_memory_graph_becomes_a_child_by_moving_write_std_move,
                               because_moving_a_memory_graph_into_another_needs_the_headers_of_cuda_12_9>>>>;
template <class G, graph_kind Kind, checking Checks>
using why_no_child = std::conditional_t<
    child_form<G> == 0, because_a_child_is_a_graph_or_a_memory_graph,
    std::conditional_t<
        child_form<G> == 3, because_a_graph_that_another_holds_is_no_child_again,
        std::conditional_t<child_form<G> == 4, because_a_graph_inside_of_its_executable_is_no_child_write_release_graph,
                           std::conditional_t<!checks_as<G, Checks>, because_parent_and_child_check_both_or_neither,
                                              why_no_memory_child<Kind>>>>>;

/// The members that add child graphs, of every kind of graph.
template <class Derived, graph_kind Kind, checking Checks>
class child_nodes {
    static constexpr bool checked = Checks == checking::on;
    using plain_graph = basic_graph<graph_kind::plain, Checks>;
    using moved_graph = basic_graph<graph_kind::moved_child, Checks>;

public:
    /// Runs another graph as one node. The graph is copied as it is now, and stays the caller's (rule G4). Memory of this
    /// graph that the child's nodes use counts for the child node.
    /// @throws misuse [C6] for this graph itself, [C17] when the child holds a conditional node, [O1] [O2]
    /// Driver: cuGraphAddChildGraphNode
    template <class G>
        requires(copied_child<G, Checks>)
    child_node add_child(const dependencies& deps, G&& child) {
        const plain_graph& original = child;
        if constexpr (checked) {
            original.model(deps.where());
            refuse_as_child(original, deps.where());
            const std::vector<memory_use> uses = uses_of(original.books());
            return copy(deps, original, uses);
        } else {
            return copy(deps, original, {});
        }
    }
    template <class G>
        requires(copied_child<G, Checks>)
    child_node add_child(G&& child, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return add_child(dependencies({}, file, line), child);
    }

    /// Runs a graph with memory nodes as one node. The graph moves: this one owns it from here on, and gives back a
    /// handle for adding further nodes. Allocations that the child does not free are this graph's now: their tokens stay
    /// valid, and their users and their free come after the child node (rule C15).
    /// @param child  consumed on success
    /// @return the child node, and the child's graph
    /// @throws misuse [C6] for this graph itself, [C17] when the child holds a conditional node, [C13], [O1] [O2]
    /// Driver: cuGraphAddNode_v2 with CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE
    template <class G>
        requires(child_by_move<G, Kind, Checks>)
    auto add_child(const dependencies& deps, G&& child) {
        const auto add_to_driver = [&](driver::node_list list) {
            return driver::graph_move_child_graph(self().get(), list, child.get(), deps.where());
        };
        if constexpr (checked) {
            child.model(deps.where());
            refuse_as_child(child, deps.where());
            auto& mine = self().books();
            auto& inside = child.books();
            refuse_mutual_frees(mine, inside, deps.where());
            mine.model.reserve_imports(inside.model);
            mine.make_room(mine.inner, 1);
            mine.reserve_exports(inside.exports().size(), inside.model.allocation_count());
            mine.make_room(mine.frees, inside.frees.size());
            const auto uses = uses_of(inside);
            const child_node made(self().add(deps, node_kind::child, nullptr, uses, add_to_driver));
            take_over(mine, inside, handle_access::parts(made).index);
            return give(made, child);
        } else {
            return give(child_node(self().add(deps, node_kind::child, nullptr, {}, add_to_driver)), child);
        }
    }
    template <class G>
        requires(child_by_move<G, Kind, Checks>)
    auto add_child(G&& child, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return add_child(dependencies({}, file, line), static_cast<G&&>(child));
    }

    template <class G, class Reason = why_no_child<std::remove_cvref_t<G>, Kind, Checks>>
        requires(!child_graph<G, Kind, Checks>)
    void add_child(const dependencies&, G&&) = delete;
    template <class G, class Reason = why_no_child<std::remove_cvref_t<G>, Kind, Checks>>
        requires(!child_graph<G, Kind, Checks>)
    void add_child(G&&) = delete;

private:
    Derived& self() noexcept { return static_cast<Derived&>(*this); }

    child_node copy(const dependencies& deps, const plain_graph& child, std::span<const memory_use> uses) {
        return child_node(self().add(deps, node_kind::child, nullptr, uses, [&](driver::node_list list) {
            return driver::graph_add_child_graph_node(self().get(), list, child.get(), deps.where());
        }));
    }

    template <class G>
    void refuse_as_child(const G& child, source_line where) {
        if (static_cast<const void*>(&child) == &self()) {
            broken_rule(
                "C6",
                "a graph cannot be its own child: moved, nobody could destroy it, and the driver crashes when it copies one",
                where);
        }
        if (child.books().holds_conditional) {
            broken_rule("C17", "a graph that holds a conditional node cannot be a child: add the conditional to the parent",
                        where);
        }
        child.refuse_if_broken(where);
        if (child.unfinished_ || child.books().unfinished) {
            broken_rule("grid", "a kernel node of the child did not get its cluster: build the graph again", where);
        }
    }

    template <class Ledger>
    static auto uses_of(const Ledger& books) {
        lazy<std::vector<memory_use>, Ledger> uses;
        uses.reserve(books.model.outside_uses().size());
        for (const auto& each : books.model.outside_uses()) {
            uses.push_back(each.use);
        }
        return uses;
    }

    /// The one graph frees what the other allocates: within one executable that is nobody's next launch.
    template <class Ledger>
    static void refuse_mutual_frees(const Ledger& a, const Ledger& b, source_line where) {
        for (const Ledger* const frees : {&a, &b}) {
            const Ledger& makes = frees == &a ? b : a;
            for (const auto& each : frees->frees) {
                for (const auto& other : makes.exports()) {
                    if (each.cell.is(other.cell)) {
                        throw misuse("C15", "parent and child: one frees " + each.what +
                                                ", which the other allocates\n  freed      " + line_text(each.freed) +
                                                "\n  at         " + line_text(where) +
                                                "\n  fix: free an allocation in the graph that makes it, or in the parent after "
                                                "the child was moved in");
                    }
                }
            }
        }
    }

    template <class Ledger>
    static void take_over(Ledger& mine, Ledger& inside, std::uint32_t node) noexcept {
        mine.model.commit_imports(inside.model, node);
        for (const auto& each : inside.exports()) {
            // Entries are found by where they came from: the child's own, or what its children left to it.
            const std::uint32_t here = mine.model.local_of(inside.model.origin_of(each.allocation));
            if (here != mine.model.no_index) {
                mine.commit_export(here, each.cell);
            }
        }
        for (auto& each : inside.frees) {
            mine.frees.push_back(std::move(each));
        }
        inside.drop_exports();
        inside.frees.clear();
        mine.hold(&inside, node);
    }

    template <class G>
    static moved_child<Checks> give(child_node made, G& child) noexcept {
        moved_child<Checks> result{
            made, moved_graph(child.graph_, child.context_, child.info_, child.device_, child.id_, child.ledger_)};
        child.graph_ = nullptr;
        child.ledger_ = nullptr;
        return result;
    }
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
