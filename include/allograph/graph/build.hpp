#pragma once

#include <type_traits>
#include <utility>

#include <allograph/graph/planned_graph.hpp>
#include <allograph/model/program_plan.hpp>

namespace allograph {
inline namespace v0 {

/// In place of a plan: every allocation becomes a node of the driver.
struct unplanned_t {
    explicit constexpr unplanned_t() = default;
};
/// `build(device{0}, unplanned, program, args...)`
inline constexpr unplanned_t unplanned{};

namespace detail {

/// Runs a program on a graph, and makes the executable of it and of what it returns.
template <class Graph, class Program, class... Args>
[[nodiscard]] auto instantiate_program(Graph& graph, const Program& program, const Args&... args) {
    if constexpr (std::is_void_v<decltype(program(graph, args...))>) {
        program(graph, args...);
        return std::move(graph).instantiate();
    } else {
        auto fates = program(graph, args...);
        static_assert(is_fates<decltype(fates)>, "a program that is built returns nothing, outputs(...) or auto_free(...)");
        return std::move(graph).instantiate(std::move(fates));
    }
}

template <class Program, class... Args>
[[nodiscard]] auto build_planned(const located<device>& where, const program_record& record, const memory_plan& plan,
                                 const Program& program, const Args&... args) {
    planned_graph whole(where.value, record, plan, where.where);
    return instantiate_program(whole, program, args...);
}

}  // namespace detail

/// Plans a program, and builds it: one arena allocation a device, in which every allocation that the program frees
/// itself has its place; their allocation and free nodes vanish into the order of the others. What leaves by `outputs`
/// or `auto_free` gets an allocation of its own. The results are those of the program unplanned, bit for bit.
///
/// The program runs twice, on a model and then on the graph, and must do the same both times.
/// @param where    the device whose context runs the nodes, and which holds allocations that name no other
/// @param options  of the plan: `within(100ms).fit(64_MiB)`; without them the heuristics alone
/// @param program  a callable `(auto& graph, args...)` that returns nothing, `outputs(...)` or `auto_free(...)`
/// @return the executable, as from `std::move(graph).instantiate(...)` of a `memory_graph`
/// @throws misuse for a program that breaks a rule, or does not do the same twice [plan], or where no order is found
///         that brings the plan under the limit [fit]; driver_error
template <class Program, class... Args>
[[nodiscard]] auto build(const detail::located<device>& where, const plan_options& options, const Program& program,
                         const Args&... args) {
    const auto record = detail::program_record::of(where.value, program, args...);
    const memory_plan plan = detail::plan_of(record, options);
    if (!plan.fits()) {
        throw misuse("fit", "the program does not fit " + detail::bytes_text(options.most_bytes()) + " (" +
                                std::to_string(options.most_bytes()) + " bytes): it takes " + std::to_string(plan.short_by()) +
                                " bytes more in the smallest order that was found\n  at         " +
                                detail::line_text(where.where) + "\n" + plan.text() +
                                "\n  fix: allow more bytes or more time, or let the program free earlier");
    }
    return detail::build_planned(where, record, plan, program, args...);
}

template <class Program, class... Args>
    requires(detail::is_program<Program> && !std::same_as<Program, unplanned_t>)
[[nodiscard]] auto build(const detail::located<device>& where, const Program& program, const Args&... args) {
    return build(where, plan_options{}, program, args...);
}

/// The same by a plan that was made, or loaded, before. The edges that it adds are added.
/// @throws misuse [plan] for a plan that is not one of this program with these arguments
template <class Program, class... Args>
[[nodiscard]] auto build(const detail::located<device>& where, const memory_plan& plan, const Program& program,
                         const Args&... args) {
    const auto record = detail::program_record::of(where.value, program, args...);
    detail::require_plan_of(record, plan);
    return detail::build_planned(where, record, plan, program, args...);
}

/// The program as it stands, on a `memory_graph`.
template <class Program, class... Args>
[[nodiscard]] auto build(const detail::located<device>& where, unplanned_t, const Program& program, const Args&... args) {
    memory_graph whole(where.value, where.where.file, where.where.line);
    return detail::instantiate_program(whole, program, args...);
}

}  // namespace v0
}  // namespace allograph
