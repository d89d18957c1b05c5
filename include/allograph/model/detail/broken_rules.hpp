#pragma once

#include <allograph/model/misuse.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// What a proof that fails calls. None of these is constexpr, so the build stops there: the compiler shows the name,
/// then the calls that led to it, the line of the program among them. Each is reached through a function whose
/// arguments are the lines involved, because compilers print those too.
namespace broken {

#define ALLOGRAPH_DETAIL_BROKEN(rule, name)                                                                                      \
    [[noreturn]] inline void name() { throw misuse(rule, #name); }

ALLOGRAPH_DETAIL_BROKEN("D2", D2_a_dependency_stands_twice)
ALLOGRAPH_DETAIL_BROKEN("D3", D3_a_dependency_is_a_node_of_another_graph)
ALLOGRAPH_DETAIL_BROKEN("D4", D4_a_dependency_is_no_node)
ALLOGRAPH_DETAIL_BROKEN("D6", D6_the_edge_is_there_already)
ALLOGRAPH_DETAIL_BROKEN("D7", D7_the_edge_would_close_a_cycle)
ALLOGRAPH_DETAIL_BROKEN("F1", F1_the_allocation_is_freed_already)
ALLOGRAPH_DETAIL_BROKEN("F9", F9_a_dependency_is_a_spent_allocation)
ALLOGRAPH_DETAIL_BROKEN("F10", F10_an_allocation_has_no_fate_free_it_or_return_it_as_an_output)
ALLOGRAPH_DETAIL_BROKEN("O1", O1_a_node_uses_an_allocation_but_is_not_ordered_after_it)
ALLOGRAPH_DETAIL_BROKEN("O2", O2_a_node_uses_an_allocation_after_its_free)
ALLOGRAPH_DETAIL_BROKEN("X9", X9_a_node_uses_freed_memory_that_may_belong_to_another_allocation_by_now)
ALLOGRAPH_DETAIL_BROKEN("O3", O3_the_free_is_not_ordered_after_a_node_that_uses_the_allocation)
ALLOGRAPH_DETAIL_BROKEN("O4", O4_the_free_is_not_ordered_after_its_allocation)
ALLOGRAPH_DETAIL_BROKEN("O6", O6_two_nodes_touch_the_same_memory_in_no_order_and_one_of_them_writes)
ALLOGRAPH_DETAIL_BROKEN("capacity", the_program_is_larger_than_this_static_graph_raise_its_capacity)

#undef ALLOGRAPH_DETAIL_BROKEN

}  // namespace broken

/// A rule that a static graph knows.
enum class broken_rule_id : unsigned char { none, D2, D3, D4, D6, D7, F1, F9, F10, O1, O2, X9, O3, O4, O6 };

constexpr const char* rule_name(broken_rule_id rule) noexcept {
    constexpr const char* names[] = {nullptr, "D2", "D3", "D4", "D6", "D7", "F1", "F9",
                                     "F10",   "O1", "O2", "X9", "O3", "O4", "O6"};
    return names[static_cast<unsigned>(rule)];
}

/// Stops the build. The arguments are lines of the program; 0 where one is not involved.
constexpr void stop_the_build(broken_rule_id rule, unsigned allocated_in_line, unsigned used_in_line, unsigned at_line) {
    static_cast<void>(allocated_in_line + used_in_line + at_line);
    using enum broken_rule_id;
    switch (rule) {
    case D2:
        return broken::D2_a_dependency_stands_twice();
    case D3:
        return broken::D3_a_dependency_is_a_node_of_another_graph();
    case D4:
        return broken::D4_a_dependency_is_no_node();
    case D6:
        return broken::D6_the_edge_is_there_already();
    case D7:
        return broken::D7_the_edge_would_close_a_cycle();
    case F1:
        return broken::F1_the_allocation_is_freed_already();
    case F9:
        return broken::F9_a_dependency_is_a_spent_allocation();
    case F10:
        return broken::F10_an_allocation_has_no_fate_free_it_or_return_it_as_an_output();
    case O1:
        return broken::O1_a_node_uses_an_allocation_but_is_not_ordered_after_it();
    case O2:
        return broken::O2_a_node_uses_an_allocation_after_its_free();
    case X9:
        return broken::X9_a_node_uses_freed_memory_that_may_belong_to_another_allocation_by_now();
    case O3:
        return broken::O3_the_free_is_not_ordered_after_a_node_that_uses_the_allocation();
    case O4:
        return broken::O4_the_free_is_not_ordered_after_its_allocation();
    case O6:
        return broken::O6_two_nodes_touch_the_same_memory_in_no_order_and_one_of_them_writes();
    case none:
        return;
    }
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
