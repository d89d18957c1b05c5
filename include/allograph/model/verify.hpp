#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <allograph/model/finding.hpp>
#include <allograph/model/outputs.hpp>
#include <allograph/model/recorded_graph.hpp>
#include <allograph/model/static_graph.hpp>
#include <allograph/model/verdict.hpp>

namespace allograph {
inline namespace v0 {

/// As the first argument of `verify`, `prove` and `report`: races are mistakes too (rule O6).
struct no_races_t {
    explicit constexpr no_races_t() = default;
};
/// `verify(no_races, program, args...)`
inline constexpr no_races_t no_races{};

/// Everything that is wrong with a program.
struct verification_report {
    std::vector<finding> findings;  ///< each broken rule, in the order of the program
    std::uint32_t nodes = 0;        ///< that the program made
    std::uint32_t allocations = 0;  ///< that the program made

    /// True where nothing is wrong.
    [[nodiscard]] explicit operator bool() const noexcept { return findings.empty(); }
    /// A summary line, then every finding.
    [[nodiscard]] std::string text() const {
        const std::size_t count = findings.size();
        std::string all =
            "allograph: " + (count == 0 ? "no mistake" : std::to_string(count) + (count == 1 ? " mistake" : " mistakes")) +
            " in " + std::to_string(nodes) + (nodes == 1 ? " node and " : " nodes and ") + std::to_string(allocations) +
            (allocations == 1 ? " allocation" : " allocations");
        for (const finding& f : findings) {
            all += "\n\n" + f.text;
        }
        return all;
    }
};

namespace detail {

template <class SetFate, class List>
constexpr void give_fates(SetFate&& set_fate, List& list) {
    each_token(list, [&](auto& token) { set_fate(token.allocation(), List::what); });
}
template <class SetFate, class... Lists>
constexpr void give_fates(SetFate&& set_fate, std::tuple<Lists...>& lists) {
    std::apply([&](auto&... list) { (give_fates(set_fate, list), ...); }, lists);
}

/// Runs a program on a graph and gives what it returns its fate.
template <class Graph, class SetFate, class Program, class... Args>
constexpr void run_program(Graph& graph, SetFate&& set_fate, const Program& program, const Args&... args) {
    if constexpr (std::is_void_v<decltype(program(graph, args...))>) {
        program(graph, args...);
    } else {
        auto kept = program(graph, args...);
        give_fates(set_fate, kept);
    }
}

template <std::size_t Nodes, std::size_t Allocations, on_mistake Mistakes, class Program, class... Args>
constexpr verdict verify_in_constant_expression(bool races, const Program& program, const Args&... args) {
    static_graph<Nodes, Allocations, Mistakes> graph(races);
    run_program(graph, [&](allocation_ref allocation, fate) { graph.set_fate(allocation); }, program, args...);
    graph.require_fates();
    return graph.result();
}

template <class Program, class... Args>
verification_report report_on(bool races, const Program& program, const Args&... args) {
    verification_report result;
    recorded_graph graph;
    recorder& model = graph.model();
    model.collect_into(&result.findings);
    model.report_races(races);
    try {
        run_program(
            graph,
            [&](allocation_ref allocation, fate end) {
                if (allocation.graph == model.graph_id()) {
                    model.set_fate(allocation.index, end == fate::output ? allocation_fate::output : allocation_fate::auto_freed);
                }
            },
            program, args...);
        model.require_fates({}, {});
    } catch (const misuse& mistake) {  // of the vocabulary itself, such as a span past the end (O5): the program cannot go on
        result.findings.push_back({mistake.rule(), mistake.what(), {}});
    }
    result.nodes = model.node_count();
    result.allocations = model.allocation_count();
    return result;
}

template <class Program, class... Args>
verdict verify_now(bool races, const Program& program, const Args&... args) {
    const verification_report all = report_on(races, program, args...);
    return all ? verdict{} : verdict{all.findings.front().rule, all.findings.front().at, {}, {}};
}

}  // namespace detail

/// Everything that is wrong with a program, at run time; races too where `no_races` comes first.
/// @param program  a callable `(auto& graph, args...)` that returns nothing, `outputs(...)`, `auto_free(...)`, or a
///                 `std::tuple` of those. After a mistake the program goes on without what was wrong.
template <class Program, class... Args>
[[nodiscard]] verification_report report(const Program& program, const Args&... args) {
    return detail::report_on(false, program, args...);
}
template <class Program, class... Args>
[[nodiscard]] verification_report report(no_races_t, const Program& program, const Args&... args) {
    return detail::report_on(true, program, args...);
}

/// Whether a program keeps the rules of order (O, X9), of dependencies (D) and of fates (F10): in `static_assert`
/// where its inputs are constants, at run time for the rest; and whether it is free of races where `no_races` comes
/// first.
/// @tparam Nodes, Allocations  what a program may have at most in a constant expression; at run time there is no limit
template <std::size_t Nodes = 1024, std::size_t Allocations = 256, class Program, class... Args>
[[nodiscard]] constexpr verdict verify(const Program& program, const Args&... args) {
    if (std::is_constant_evaluated()) {
        return detail::verify_in_constant_expression<Nodes, Allocations, on_mistake::remember>(false, program, args...);
    }
    return detail::verify_now(false, program, args...);
}
template <std::size_t Nodes = 1024, std::size_t Allocations = 256, class Program, class... Args>
[[nodiscard]] constexpr verdict verify(no_races_t, const Program& program, const Args&... args) {
    if (std::is_constant_evaluated()) {
        return detail::verify_in_constant_expression<Nodes, Allocations, on_mistake::remember>(true, program, args...);
    }
    return detail::verify_now(true, program, args...);
}

/// The same for `static_assert(prove(program, args...))` alone: a program that breaks a rule stops the build with a
/// message that names the rule and leads to the line of the program.
template <std::size_t Nodes = 1024, std::size_t Allocations = 256, class Program, class... Args>
consteval bool prove(const Program& program, const Args&... args) {
    return bool(detail::verify_in_constant_expression<Nodes, Allocations, on_mistake::stop_the_build>(false, program, args...));
}
template <std::size_t Nodes = 1024, std::size_t Allocations = 256, class Program, class... Args>
consteval bool prove(no_races_t, const Program& program, const Args&... args) {
    return bool(detail::verify_in_constant_expression<Nodes, Allocations, on_mistake::stop_the_build>(true, program, args...));
}

}  // namespace v0
}  // namespace allograph
