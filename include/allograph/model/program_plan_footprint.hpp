#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <allograph/model/detail/broken_rules.hpp>
#include <allograph/model/program_plan.hpp>
#include <allograph/model/static_graph.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// The model of a graph in constant expressions that `footprint` needs: of each node, which allocations are freed
/// before it, as a row of bits.
template <std::size_t Nodes, std::size_t Allocations>
class footprint_graph : public node_builder<footprint_graph<Nodes, Allocations>, graph_kind::memory> {
public:
    static constexpr std::uint32_t id = planned_graph_id;

    constexpr footprint_graph() = default;
    footprint_graph(const footprint_graph&) = delete;
    footprint_graph& operator=(const footprint_graph&) = delete;

    constexpr alloc_result emit_alloc(const dependencies& deps, const alloc_request& request) {
        begin(deps);
        if (allocation_count_ == Allocations) {
            broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
        }
        const std::uint64_t bytes = (request.bytes + 511) / 512 * 512;
        allocations_[allocation_count_] = {bytes, count_, none, none,
                                           request.options.has_device() ? request.options.where().ordinal : -1};
        const std::uint64_t address = next_address_;
        next_address_ += bytes;
        return {finish(), address, allocation_count_++};
    }
    constexpr node emit_free(const dependencies& deps, const free_request& request) {
        begin(deps);
        if (request.allocation.graph == id) {
            if (deps.inferred()) {
                infer(request.allocation.index, true);
            }
            allocations_[request.allocation.index].freed_by = count_;
            frees_[count_] = request.allocation.index;
        }
        return finish();
    }
    constexpr node emit_memset(const dependencies& deps, const memset_request& request) {
        return add(deps, std::span<const memory_use>(&request.use, 1));
    }
    constexpr node emit_memcpy(const dependencies& deps, const memcpy_request& request) {
        const memory_use uses[] = {request.from.use, request.to.use};
        return add(deps, uses);
    }
    template <class Kernel, class... Args>
    constexpr node emit_kernel(const dependencies& deps, std::span<const memory_use> uses, const Kernel&, const launch_config&,
                               const Args&...) {
        return add(deps, uses);
    }
    template <class F>
    constexpr node emit_host(const dependencies& deps, std::span<const memory_use> uses, F&&) {
        return add(deps, uses);
    }
    constexpr node emit_empty(const dependencies& deps) { return add(deps, {}); }
    constexpr void emit_dependency(const node& from, const node& to, source_line) {
        follow(handle_access::parts(from).index, handle_access::parts(to).index);
        late_ = true;
    }

    /// Bytes of the arenas, by the placement that the planner tries first: the largest first, each as low as it goes.
    /// Bytes of what leaves are added.
    [[nodiscard]] constexpr std::uint64_t bytes() {
        while (late_) {
            late_ = false;
            for (std::uint32_t e = 0; e < edge_count_; ++e) {
                late_ = pass_on(edges_[e].before, edges_[e].after) || late_;
            }
        }
        std::uint64_t total = 0;
        std::uint32_t open = 0;
        for (std::uint32_t a = 0; a < allocation_count_; ++a) {
            if (allocations_[a].freed_by == none) {
                total += allocations_[a].bytes;
                continue;
            }
            std::uint32_t at = open++;
            for (; at > 0 && allocations_[by_size_[at - 1]].bytes < allocations_[a].bytes; --at) {
                by_size_[at] = by_size_[at - 1];
            }
            by_size_[at] = a;
        }
        while (open > 0) {
            total += place(open);
        }
        return total;
    }

private:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;
    static constexpr std::size_t words = (Allocations + 63) / 64;
    static constexpr std::size_t most_uses = 4 * Nodes;
    static constexpr std::size_t most_edges = 4 * Nodes;

    struct allocation {
        std::uint64_t bytes;
        std::uint32_t made_by;
        std::uint32_t freed_by;
        std::uint32_t last_use;  // the uses form a list
        int device;
    };
    struct use {
        std::uint32_t node;
        std::uint32_t before;  // the next in the list
        bool writes;
    };
    struct block {
        std::uint64_t offset;
        std::uint64_t end;
        std::uint32_t allocation;
    };

    constexpr void begin(const dependencies& deps) {
        if (count_ == Nodes) {
            broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
        }
        frees_[count_] = none;
        const std::size_t given = deps.size();
        for (std::size_t i = 0; i < given; ++i) {
            follow(handle_access::parts(deps[i]).index, count_);
        }
    }
    constexpr node finish() noexcept { return handle_access::make_node(nullptr, id, count_++); }

    constexpr void follow(std::uint32_t before, std::uint32_t after) {
        if (edge_count_ == most_edges) {
            broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
        }
        edges_[edge_count_++] = {before, after};
        pass_on(before, after);
    }
    /// @return whether it is news
    constexpr bool pass_on(std::uint32_t before, std::uint32_t after) {
        bool news = false;
        for (std::size_t w = 0; w < words; ++w) {
            const std::uint64_t all = rows_[after][w] | rows_[before][w];
            news = news || all != rows_[after][w];
            rows_[after][w] = all;
        }
        if (const std::uint32_t a = frees_[before]; a != none) {
            news = news || !freed_before(a, after);
            rows_[after][a / 64] |= std::uint64_t{1} << (a % 64);
        }
        return news;
    }
    [[nodiscard]] constexpr bool freed_before(std::uint32_t freed, std::uint32_t n) const noexcept {
        return (rows_[n][freed / 64] >> (freed % 64) & 1) != 0;
    }

    constexpr node add(const dependencies& deps, std::span<const memory_use> uses) {
        begin(deps);
        for (const memory_use& u : uses) {
            if (u.allocation.graph != id) {
                continue;
            }
            if (deps.inferred()) {
                infer(u.allocation.index, u.how == access::write);
            }
        }
        for (const memory_use& u : uses) {
            if (u.allocation.graph == id) {
                if (use_count_ == most_uses) {
                    broken::the_program_is_larger_than_this_static_graph_raise_its_capacity();
                }
                uses_[use_count_] = {count_, allocations_[u.allocation.index].last_use, u.how == access::write};
                allocations_[u.allocation.index].last_use = use_count_++;
            }
        }
        return finish();
    }
    constexpr void infer(std::uint32_t index, bool writes) {
        follow(allocations_[index].made_by, count_);
        for (std::uint32_t i = allocations_[index].last_use; i != none; i = uses_[i].before) {
            if (writes || uses_[i].writes) {
                follow(uses_[i].node, count_);
            }
        }
    }

    /// Places the allocations of one device, and takes them out. @param open  how many are left
    constexpr std::uint64_t place(std::uint32_t& open) {
        const int device = allocations_[by_size_[0]].device;
        std::uint64_t top = 0;
        std::uint32_t placed = 0;
        std::uint32_t left = 0;
        for (std::uint32_t i = 0; i < open; ++i) {
            const std::uint32_t a = by_size_[i];
            const allocation& it = allocations_[a];
            if (it.device != device) {
                by_size_[left++] = a;
                continue;
            }
            std::uint64_t offset = 0;
            for (std::uint32_t p = 0; p < placed && blocks_[p].offset < offset + it.bytes; ++p) {
                const block& b = blocks_[p];
                if (b.end > offset && !freed_before(b.allocation, it.made_by) &&
                    !freed_before(a, allocations_[b.allocation].made_by)) {
                    offset = b.end;
                }
            }
            std::uint32_t at = placed++;
            for (; at > 0 && blocks_[at - 1].offset > offset; --at) {
                blocks_[at] = blocks_[at - 1];
            }
            blocks_[at] = {offset, offset + it.bytes, a};
            top = offset + it.bytes > top ? offset + it.bytes : top;
        }
        open = left;
        return top;
    }

    std::uint32_t count_ = 0;
    std::uint32_t allocation_count_ = 0;
    std::uint32_t use_count_ = 0;
    std::uint32_t edge_count_ = 0;
    bool late_ = false;  // an edge came later than its node
    std::uint64_t next_address_ = 512;
    std::uint64_t rows_[Nodes][words]{};
    std::uint32_t frees_[Nodes]{};
    allocation allocations_[Allocations]{};
    use uses_[most_uses]{};
    model::order_edge edges_[most_edges]{};
    std::uint32_t by_size_[Allocations]{};
    block blocks_[Allocations]{};
};

template <std::size_t Nodes, std::size_t Allocations, class Program, class... Args>
constexpr std::uint64_t footprint_in_constant_expression(const Program& program, const Args&... args) {
    footprint_graph<Nodes, Allocations> graph;
    run_program(graph, [](allocation_ref, fate) {}, program, args...);
    return graph.bytes();
}

template <class Program, class... Args>
std::uint64_t footprint_now(const Program& program, const Args&... args) {
    const auto record = program_record::of(device{-1}, program, args...);
    const std::vector<model::order_edge> edges = record.edges();
    std::uint64_t bytes = 0;
    for (const program_record::allocation& a : record.allocations()) {
        bytes += a.freed_by == program_record::none ? rounded_up(a.bytes, 512) : 0;
    }
    for (const arena_problem& arena : arena_problems(record, 512)) {
        const auto problem = model::placement_problem::of_graph(record.node_count(), edges, arena.buffers);
        if (problem.size() > model::detail::conflict_matrix::most_buffers) {
            bytes += model::place_at_once(problem).bytes;
        } else {
            const model::detail::conflict_matrix conflicts(problem);
            bytes += model::detail::gap_fit(problem, conflicts).run(model::detail::sorted_buffers(problem, [&](std::uint32_t b) {
                return UINT64_MAX - problem.size_of(b);
            }));
        }
    }
    return bytes;
}

}  // namespace detail

/// Bytes that a program takes when it is built planned: its arenas by the instant heuristic, and what leaves it, each
/// rounded up to 512. `plan` finds this or less; physical memory is mapped in larger pieces (rule M3).
///
/// For `static_assert` where the program's inputs are constants: `static_assert(footprint(layer, kernels{}, 1024) <= 64_MiB)`;
/// the same number at run time. For programs that `verify` accepts.
/// @tparam Nodes, Allocations  what a program may have at most in a constant expression; at run time there is no limit
template <std::size_t Nodes = 1024, std::size_t Allocations = 256, class Program, class... Args>
[[nodiscard]] constexpr std::uint64_t footprint(const Program& program, const Args&... args) {
    if (std::is_constant_evaluated()) {
        return detail::footprint_in_constant_expression<Nodes, Allocations>(program, args...);
    }
    return detail::footprint_now(program, args...);
}

}  // namespace v0
}  // namespace allograph
