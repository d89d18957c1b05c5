#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <allograph/model/fit.hpp>
#include <allograph/model/memory_plan.hpp>
#include <allograph/model/place.hpp>
#include <allograph/model/plan_options.hpp>
#include <allograph/model/program_plan_edges.hpp>
#include <allograph/model/program_plan_record.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// @param alignment  a power of two
[[nodiscard]] inline std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t alignment) noexcept {
    return (bytes + alignment - 1) & ~(alignment - 1);
}

/// The planned allocations of one device.
struct arena_problem {
    int device;
    std::vector<std::uint32_t> numbers;  // of the allocations, in the program
    std::vector<model::graph_buffer> buffers;
};

/// What is to be planned: the allocations that are freed inside, by device.
inline std::vector<arena_problem> arena_problems(const program_record& program, std::uint64_t alignment) {
    constexpr std::size_t most = 64;
    constexpr std::uint64_t too_much = std::uint64_t{1} << 61U;
    std::uint64_t all = 0;
    std::vector<arena_problem> arenas;
    for (std::uint32_t i = 0; i < program.allocations().size(); ++i) {
        const program_record::allocation& a = program.allocations()[i];
        if (a.freed_by == program_record::none) {
            continue;
        }
        all += a.bytes < too_much ? a.bytes + alignment : too_much;
        if (all >= too_much) {
            broken_rule("A3", "allocations of more bytes than any device holds", program.model().allocated_at(i));
        }
        std::size_t k = 0;
        while (k < arenas.size() && arenas[k].device != a.device) {
            ++k;
        }
        if (k == arenas.size()) {
            if (k == most) {
                broken_rule("plan", "a program with allocations on more than 64 devices", program.model().allocated_at(i));
            }
            arenas.push_back({a.device, {}, {}});
            if (k == 0) {  // most programs have one
                arenas[k].numbers.reserve(program.allocations().size());
                arenas[k].buffers.reserve(program.allocations().size());
            }
        }
        arenas[k].numbers.push_back(i);
        arenas[k].buffers.push_back({rounded_up(a.bytes, alignment), alignment, a.made_by, a.freed_by});
    }
    return arenas;
}

/// Texts by number, each once: names of types and files come as the same pointer again and again.
class text_table {
public:
    explicit text_table(std::vector<std::string>& texts) : texts_(&texts) {}
    std::uint32_t operator()(std::string_view text) {
        if (text.data() != last_ || text.size() != texts_->at(number_).size()) {
            number_ = 0;
            while (number_ < texts_->size() && (*texts_)[number_] != text) {
                ++number_;
            }
            if (number_ == texts_->size()) {
                texts_->emplace_back(text);
            }
            last_ = text.data();
        }
        return number_;
    }
    std::uint32_t operator()(const char* text) { return text == last_ ? number_ : (*this)(std::string_view(text)); }

private:
    std::vector<std::string>* texts_;
    const char* last_ = nullptr;
    std::uint32_t number_ = 0;
};

inline memory_plan plan_of(const program_record& program, const plan_options& options) {
    memory_plan::parts p;
    p.alignment = options.alignment();
    for (const program_record::allocation& a : program.allocations()) {
        p.alignment = a.freed_by != program_record::none && a.alignment > p.alignment ? a.alignment : p.alignment;
    }
    p.program_nodes = program.node_count();
    p.program_allocations = static_cast<std::uint32_t>(program.allocations().size());
    const std::vector<arena_problem> arenas = arena_problems(program, p.alignment);
    std::vector<model::order_edge> edges = program.edges();
    std::vector<std::uint64_t> offsets(program.allocations().size(), 0);
    std::vector<std::uint32_t> arena_of(program.allocations().size(), program_record::none);
    std::vector<fit_edge> added;  // by number in the program
    for (std::uint32_t k = 0; k < arenas.size(); ++k) {
        const arena_problem& arena = arenas[k];
        const fit_result placed = place_within(program.node_count(), edges, arena.buffers, options, arenas.size());
        for (const fit_edge& e : placed.added) {
            added.push_back({arena.numbers[e.freed], arena.numbers[e.allocated]});
        }
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < arena.numbers.size(); ++i) {
            sum += arena.buffers[i].size;
            offsets[arena.numbers[i]] = placed.best.offsets[i];
            arena_of[arena.numbers[i]] = k;
        }
        if (placed.best.bytes > options.most_bytes() && placed.best.bytes - options.most_bytes() > p.short_by) {
            p.short_by = placed.best.bytes - options.most_bytes();
        }
        p.arenas.push_back({arena.device, placed.best.bytes, placed.best.lower_bound, sum, placed.best.optimal});
    }

    std::vector<std::uint32_t> place;  // empty where the nodes run as they are numbered
    if (!ascending(edges)) {
        const std::vector<std::uint32_t> order = running_order(program.node_count(), edges);
        place.resize(order.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            place[order[i]] = i;
        }
    }
    text_table type_of(p.texts), allocated_in(p.texts), freed_in(p.texts);
    std::vector<std::uint32_t> among_planned(program.allocations().size(), 0);
    p.allocations.reserve(program.allocations().size());
    for (std::uint32_t i = 0; i < program.allocations().size(); ++i) {
        const program_record::allocation& a = program.allocations()[i];
        if (arena_of[i] == program_record::none) {
            continue;
        }
        among_planned[i] = static_cast<std::uint32_t>(p.allocations.size());
        const source_line allocated = program.model().added_at(a.made_by);
        const source_line freed = program.model().added_at(a.freed_by);
        memory_plan::allocation& planned = p.allocations.emplace_back();
        planned.offset = offsets[i];
        planned.bytes = a.bytes;
        planned.count = a.count;
        planned.number = i;
        planned.arena = arena_of[i];
        planned.from = place.empty() ? a.made_by : place[a.made_by];
        planned.to = place.empty() ? a.freed_by : place[a.freed_by];
        if (a.label != nullptr) {
            planned.label = a.label;
        }
        planned.type = type_of(a.type);
        planned.allocated_file = allocated_in(allocated.file);
        planned.allocated_line = allocated.line;
        planned.freed_file = freed_in(freed.file);
        planned.freed_line = freed.line;
    }
    for (const fit_edge& e : added) {
        p.edges.push_back({among_planned[e.freed], among_planned[e.allocated]});
    }
    return memory_plan(static_cast<memory_plan::parts&&>(p));
}

/// Checks that a plan, which may have been saved or made by hand, is one of this program.
/// @throws misuse [plan]
inline void require_plan_of(const program_record& program, const memory_plan& plan) {
    const auto other = [](const std::string& what) {
        return misuse("plan", "this plan is one of another program: " + what +
                                  "\n  fix: plan the program again, with the arguments that it is built with");
    };
    const auto differ = [&](const char* of, std::uint64_t planned, std::uint64_t now) {
        return other(std::string("the plan is of ") + std::to_string(planned) + " " + of + ", the program makes " +
                     std::to_string(now));
    };
    if (plan.program_nodes() != program.node_count()) {
        throw differ("nodes", plan.program_nodes(), program.node_count());
    }
    if (plan.program_allocations() != program.allocations().size()) {
        throw differ("allocations", plan.program_allocations(), program.allocations().size());
    }
    std::vector<const memory_plan::allocation*> planned(program.allocations().size(), nullptr);
    for (const memory_plan::allocation& a : plan.allocations()) {
        planned[a.number] = &a;
    }
    std::vector<int> device_of(plan.arenas().size(), 0);
    std::vector<bool> known(plan.arenas().size(), false);
    std::vector<model::placement> placed(plan.arenas().size());
    std::vector<std::vector<model::graph_buffer>> buffers(plan.arenas().size());
    for (std::uint32_t i = 0; i < planned.size(); ++i) {
        const program_record::allocation& a = program.allocations()[i];
        const auto it = [&] {
            return program.model().describe(i) + ", allocated " + line_text(program.model().allocated_at(i)) + ", ";
        };
        const memory_plan::allocation* const p = planned[i];
        if ((p != nullptr) != (a.freed_by != program_record::none)) {
            throw other(it() + (p != nullptr ? "is not freed in the program" : "has no place in the plan"));
        }
        if (p == nullptr) {
            continue;
        }
        if (p->bytes != a.bytes || p->offset % a.alignment != 0) {
            throw other(it() +
                        "is another in the plan: " + plan.describe(static_cast<std::size_t>(p - plan.allocations().data())));
        }
        if (!known[p->arena]) {
            known[p->arena] = true;
            device_of[p->arena] = a.device;
        }
        if (device_of[p->arena] != a.device) {
            throw other(it() + "is on another device than the allocations beside it in the plan");
        }
        placed[p->arena].offsets.push_back(p->offset);
        buffers[p->arena].push_back({a.bytes, plan.alignment(), a.made_by, a.freed_by});
    }
    std::vector<model::order_edge> edges = program.edges();
    for (const memory_plan::added_edge& e : plan.added_edges()) {
        edges.push_back({program.allocations()[plan.allocations()[e.freed].number].freed_by,
                         program.allocations()[plan.allocations()[e.allocated].number].made_by});
    }
    for (std::size_t k = 0; k < placed.size(); ++k) {
        if (!known[k]) {
            throw other("one of its arenas holds nothing");
        }
        try {
            const auto problem = model::placement_problem::of_graph(program.node_count(), edges, buffers[k]);
            placed[k].bytes = model::extent(problem, placed[k].offsets);
            if (placed[k].bytes <= plan.arenas()[k].bytes && model::is_valid(problem, placed[k])) {
                continue;
            }
        } catch (const std::invalid_argument&) {
            throw other("the order that the plan adds closes a cycle");
        }
        throw other("allocations share bytes that are alive at once in this program");
    }
}

/// The program, and the plan that its options ask for.
template <class Program, class... Args>
memory_plan plan_program(const plan_options& options, const Program& program, const Args&... args) {
    return plan_of(program_record::of(options.where(), program, args...), options);
}

template <class P>
concept is_program = !std::same_as<P, plan_options> && !std::same_as<P, memory_plan>;

}  // namespace detail

/// Gives every allocation that a program frees itself a place in one arena a device. Two share bytes only if the
/// program orders the free of the one before the other: no order is added, unless `fit(bytes)` asks for it. Allocations
/// that leave the program are not planned.
/// Without options the heuristics alone, at once.
/// @param program  a callable `(auto& graph, args...)`, which runs once, on a model: no GPU is needed
/// @throws misuse for a program that breaks a rule, with everything that is wrong with it
template <class Program, class... Args>
    requires(detail::is_program<Program>)
[[nodiscard]] memory_plan plan(const Program& program, const Args&... args) {
    return detail::plan_program({}, program, args...);
}
/// The same, searched for as the options say.
/// @param options  `within(100ms)`, `fit(64_MiB)`, ...
template <class Program, class... Args>
[[nodiscard]] memory_plan plan(const plan_options& options, const Program& program, const Args&... args) {
    return detail::plan_program(options, program, args...);
}

}  // namespace v0
}  // namespace allograph
