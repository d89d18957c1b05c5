#pragma once

#include <allograph/detail/take.hpp>
#include <allograph/driver/more_node_calls.hpp>
#include <allograph/graph/detail/ledger.hpp>
#include <allograph/model/node_builder.hpp>

namespace allograph {
inline namespace v0 {

template <graph_kind Kind, checking Checks>
class basic_graph;
class condition;
template <checking Checks>
struct conditional_with_body;
template <checking Checks>
struct conditional_with_else;
template <checking Checks>
struct conditional_with_bodies;

/// A node that runs one of its bodies, or none, as a condition says.
using conditional_node = typed_node<node_kind::conditional>;

struct because_if_else_and_switch_need_the_headers_of_cuda_12_8 {};
struct because_a_condition_is_made_first_and_named_write_make_condition {};

namespace detail {

#if CUDA_VERSION >= 12080
inline constexpr bool has_switch = true;
inline constexpr CUgraphConditionalNodeType switch_type = CU_GRAPH_COND_TYPE_SWITCH;
#else
inline constexpr bool has_switch = false;
inline constexpr CUgraphConditionalNodeType switch_type = CU_GRAPH_COND_TYPE_IF;
#endif

/// The members that add conditional nodes. A graph with one cannot become a child, is not cloned and has one executable at
/// a time (rules C17, C18); a moved child may get one.
template <class Derived, graph_kind Kind, checking Checks>
class conditional_nodes {
    static constexpr bool checked = Checks == checking::on;
    using body_graph = basic_graph<graph_kind::conditional_body, Checks>;

public:
    /// The value for a conditional node of this graph, which is `at_each_launch` when a launch begins. Each needs its node
    /// before the graph is instantiated.
    /// Driver: cuGraphConditionalHandleCreate with CU_GRAPH_COND_ASSIGN_DEFAULT
    template <std::integral V, class Condition = condition>
    [[nodiscard]] Condition make_condition(V at_each_launch, const char* file = __builtin_FILE(),
                                           unsigned line = __builtin_LINE()) {
        if (!std::in_range<unsigned>(at_each_launch)) {
            broken_rule("argument", "the value of a condition is an unsigned", {file, line});
        }
        return make<Condition>(static_cast<unsigned>(at_each_launch), CU_GRAPH_COND_ASSIGN_DEFAULT, {file, line});
    }
    /// The same, without a value until a kernel sets one.
    template <class Condition = condition>
    [[nodiscard]] Condition make_condition(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        return make<Condition>(0, 0, {file, line});
    }

    /// Runs a body if the value is not 0.
    /// @return the node and the body
    /// @throws misuse [condition] for one of another graph, or one that a node uses already. Driver: cuGraphAddNode_v2
    template <class Condition>
        requires(std::same_as<Condition, condition>)
    conditional_with_body<Checks> add_if(const dependencies& deps, Condition& decides) {
        return with_body(deps, decides, CU_GRAPH_COND_TYPE_IF);
    }
    /// Runs one body if the value is not 0, else the other.
    template <class Condition>
        requires(has_switch && std::same_as<Condition, condition>)
    conditional_with_else<Checks> add_if_else(const dependencies& deps, Condition& decides) {
        ledgers books(self(), 2);
        CUgraph* bodies = nullptr;
        const conditional_node made = add(deps, decides, CU_GRAPH_COND_TYPE_IF, 2, bodies);
        return {made, body_of(bodies[0], books.hand_over(0, made)), body_of(bodies[1], books.hand_over(1, made))};
    }
    /// Runs a body as long as the value is not 0; a kernel in it has to set it to 0 some time.
    template <class Condition>
        requires(std::same_as<Condition, condition>)
    conditional_with_body<Checks> add_while(const dependencies& deps, Condition& decides) {
        return with_body(deps, decides, CU_GRAPH_COND_TYPE_WHILE);
    }
    /// Runs the body that the value names, from 0 on; none where it names none.
    /// @param count  bodies, at least 1
    template <class Condition>
        requires(has_switch && std::same_as<Condition, condition>)
    conditional_with_bodies<Checks> add_switch(const dependencies& deps, Condition& decides, std::size_t count) {
        if (count == 0 || count > 0xFFFFFFFFu) {
            broken_rule("condition", "a switch needs at least one body", deps.where());
        }
        ledgers books(self(), count);
        conditional_with_bodies<Checks> result{conditional_node(node()), {}};
        result.bodies.reserve(count);
        CUgraph* bodies = nullptr;
        result.node = add(deps, decides, switch_type, static_cast<unsigned>(count), bodies);
        for (std::size_t i = 0; i < count; ++i) {
            result.bodies.push_back(body_of(bodies[i], books.hand_over(i, result.node)));
        }
        return result;
    }

    template <class Condition, class Reason = because_if_else_and_switch_need_the_headers_of_cuda_12_8>
        requires(!has_switch)
    void add_if_else(const dependencies&, Condition&) = delete;
    template <class Condition, class Reason = because_if_else_and_switch_need_the_headers_of_cuda_12_8>
        requires(!has_switch)
    void add_switch(const dependencies&, Condition&, std::size_t) = delete;
    template <class V, class Reason = because_a_condition_is_made_first_and_named_write_make_condition>
        requires(!std::same_as<V, condition&>)
    void add_if(const dependencies&, V&&) = delete;
    template <class V, class Reason = because_a_condition_is_made_first_and_named_write_make_condition>
        requires(has_switch && !std::same_as<V, condition&>)
    void add_if_else(const dependencies&, V&&) = delete;
    template <class V, class Reason = because_a_condition_is_made_first_and_named_write_make_condition>
        requires(!std::same_as<V, condition&>)
    void add_while(const dependencies&, V&&) = delete;
    template <class V, class Reason = because_a_condition_is_made_first_and_named_write_make_condition>
        requires(has_switch && !std::same_as<V, condition&>)
    void add_switch(const dependencies&, V&&, std::size_t) = delete;

private:
    Derived& self() noexcept { return static_cast<Derived&>(*this); }

    using ledger = lazy<detail::ledger, Derived>;

    /// The books of bodies, made before the driver is called; what is not handed over dies again.
    class ledgers {
    public:
        ledgers(Derived& outer, std::size_t count) : outer_(outer) {
            if constexpr (checked) {
                books_.reserve(count);
                for (std::size_t i = 0; i < count; ++i) {
                    books_.push_back(new ledger(next_graph_id()));
                }
                ledger::make_room(outer.books().inner, count);
            }
        }
        ledgers(const ledgers&) = delete;
        ledgers& operator=(const ledgers&) = delete;
        ~ledgers() {
            for (ledger* const each : books_) {
                delete each;
            }
        }
        ledger* hand_over(std::size_t i, const node& made) noexcept {
            if constexpr (checked) {
                outer_.books().hold(books_[i], handle_access::parts(made).index);
                return take(books_[i]);
            } else {
                return nullptr;
            }
        }

    private:
        Derived& outer_;
        lazy<std::vector<ledger*>, Derived> books_;
    };
    template <class Condition>
    Condition make(unsigned value, unsigned flags, source_line where) {
        if constexpr (checked) {
            self().model(where);
        }
        Condition made(driver::graph_conditional_handle_create(self().get(), self().context(), value, flags, where), self().id_);
        if constexpr (checked) {
            ++self().books().outermost().open_conditions;
        }
        return made;
    }

    template <class Condition>
    conditional_with_body<Checks> with_body(const dependencies& deps, Condition& decides, CUgraphConditionalNodeType type) {
        ledgers books(self(), 1);
        CUgraph* bodies = nullptr;
        const conditional_node made = add(deps, decides, type, 1, bodies);
        return {made, body_of(bodies[0], books.hand_over(0, made))};
    }

    template <class Condition>
    conditional_node add(const dependencies& deps, Condition& decides, CUgraphConditionalNodeType type, unsigned count,
                         CUgraph*& bodies) {
        if (decides.graph_ != self().id_) {
            broken_rule("condition", "the condition was made by another graph: make it with the one that its node goes to",
                        deps.where());
        }
        if (decides.used_) {
            broken_rule("condition", "another conditional node uses this condition already: make one for each", deps.where());
        }
        const conditional_node made(self().add(deps, node_kind::conditional, nullptr, {}, [&](driver::node_list list) {
            CUgraphNodeParams parameters{};
            parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
            parameters.conditional.handle = decides.handle_;
            parameters.conditional.type = type;
            parameters.conditional.size = count;
            parameters.conditional.ctx = self().context();
            const CUgraphNode added = driver::graph_add_node(self().get(), list, parameters, deps.where());
            bodies = parameters.conditional.phGraph_out;
            return added;
        }));
        decides.used_ = true;
        if constexpr (checked) {
            --self().books().outermost().open_conditions;
            for (ledger* each = &self().books(); each != nullptr; each = each->around()) {
                each->holds_conditional = true;
            }
        }
        return made;
    }

    body_graph body_of(CUgraph body, ledger* books) noexcept {
        return body_graph(body, self().context(), self().info_, self().device_, books != nullptr ? books->id() : next_graph_id(),
                          books);
    }
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
