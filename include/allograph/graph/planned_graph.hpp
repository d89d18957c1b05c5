#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <allograph/graph/basic_graph.hpp>
#include <allograph/graph/graph_exec.hpp>
#include <allograph/model/program_plan.hpp>

namespace allograph {
inline namespace v0 {

/// A memory graph that builds a program by its plan: the program calls it as it calls any graph, and gets addresses in
/// an arena where it asks for allocations that are planned. Made by `build`.
///
/// Planned allocations and frees are no nodes of the driver: their handles are null. The order among the other nodes is
/// the one that was recorded when the program was planned; a program that does something else now is stopped.
class planned_graph : public node_builder<planned_graph, graph_kind::memory> {
public:
    /// Adds the allocations of the arenas. @param at  the line of the build
    planned_graph(device where, const detail::program_record& program, const memory_plan& plan, source_line at)
        : graph_(where, at.file, at.line), program_(&program), plan_(&plan), edges_(program, plan), at_(at),
          built_(program.node_count() + plan.arenas().size()), place_of_(program.allocations().size(), not_planned) {
        for (std::uint32_t i = 0; i < plan.allocations().size(); ++i) {
            place_of_[plan.allocations()[i].number] = i;
        }
        add_arenas();
    }
    planned_graph(const planned_graph&) = delete;
    planned_graph& operator=(const planned_graph&) = delete;

    /// Frees the arenas, and makes the executable.
    /// @param fates  what the program returned, or nothing
    template <class... Fates>
    [[nodiscard]] auto instantiate(Fates&&... fates) && {
        finish();
        return std::move(graph_).instantiate(static_cast<Fates&&>(fates)...);
    }

    /// The device whose context runs the nodes.
    [[nodiscard]] device where_it_runs() const noexcept { return graph_.where_it_runs(); }

    /// What `node_builder` calls, one for each kind of node: the call must be the one of the same number that was planned.
    /// A planned allocation becomes a place in its arena, no node.
    /// @throws misuse [plan] for another call than before; as the graph does
    alloc_result emit_alloc(const dependencies& deps, const alloc_request& request) {
        const std::uint32_t n = begin(deps, node_kind::alloc, record::signature_of_alloc(request));
        const std::uint32_t number = allocations_++;
        const std::uint32_t planned = place_of_[number];
        if (planned == not_planned) {
            const alloc_result made = graph_.emit_alloc(before(n, deps.where()), request);
            built_[n] = made.made;
            graph_id_ = detail::handle_access::parts(made.made).graph;
            leaving_.push_back(number);
            const std::uint32_t in_graph = detail::handle_access::parts(made.made).index;
            made_by_.resize(in_graph + std::size_t{1}, 0);
            made_by_[in_graph] = n;
            return made;
        }
        vanish(n, deps.where());
        const memory_plan::allocation& a = plan_->allocations()[planned];
        return {vanished(n), arenas_[a.arena].address + a.offset, number};
    }
    /// A planned free becomes order between other nodes.
    node emit_free(const dependencies& deps, const free_request& request) {
        const std::uint32_t number = number_of(request.allocation);
        const std::uint32_t n = begin(deps, node_kind::free, record::signature_of_free(number));
        vanish(n, deps.where());
        return vanished(n);
    }
    /// A memset of the memory's place in the arena.
    node emit_memset(const dependencies& deps, const memset_request& request) {
        const std::uint32_t n =
            begin(deps, node_kind::memset, record::signature_of_memset(request), std::span<const memory_use>(&request.use, 1));
        memset_request moved = request;
        moved.use = in_arena(request.use);
        return keep(n, graph_.emit_memset(before(n, deps.where()), moved));
    }
    /// A copy between places in the arena, or with other memory.
    node emit_memcpy(const dependencies& deps, const memcpy_request& request) {
        const memory_use uses[] = {request.to.use, request.from.use};
        const std::uint32_t n = begin(deps, node_kind::memcpy, record::signature_of_memcpy(request), uses);
        memcpy_request moved = request;
        moved.to.use = in_arena(request.to.use);
        moved.from.use = in_arena(request.from.use);
        return keep(n, graph_.emit_memcpy(before(n, deps.where()), moved));
    }
    /// A kernel whose pointers lead into the arena.
    template <class... Params, class... Args>
    node emit_kernel(const dependencies& deps, std::span<const memory_use> uses, const kernel<void(Params...)>& function,
                     const launch_config& config, const Args&... args) {
        const std::uint32_t n = begin(deps, node_kind::kernel, detail::call_signature(node_kind::kernel), uses);
        return keep(n, graph_.emit_kernel(before(n, deps.where()), in_arena(uses), function, config, args...));
    }
    /// A host function, as it is.
    template <class F>
    node emit_host(const dependencies& deps, std::span<const memory_use> uses, F&& function) {
        const std::uint32_t n = begin(deps, node_kind::host, detail::call_signature(node_kind::host), uses);
        return keep(n, graph_.emit_host(before(n, deps.where()), in_arena(uses), static_cast<F&&>(function)));
    }
    /// Captured work, as it is: it runs now.
    template <class F>
    node emit_captured(const dependencies& deps, std::span<const memory_use> uses, F& work) {
        const std::uint32_t n = begin(deps, node_kind::captured, detail::call_signature(node_kind::captured), uses);
        const node made = graph_.emit_captured(before(n, deps.where()), in_arena(uses), work);
        leaving_.resize(graph_.books().model.allocation_count() - arenas_.size(), record::none);  // what the work allocated
        return keep(n, made);
    }
    /// An empty node, as it is.
    node emit_empty(const dependencies& deps) {
        const std::uint32_t n = begin(deps, node_kind::empty, detail::call_signature(node_kind::empty));
        return keep(n, graph_.emit_empty(before(n, deps.where())));
    }
    /// The edge is among the recorded ones already.
    void emit_dependency(const node& from, const node& to, source_line where) {
        const auto late = program_->late_edges();
        if (late_ == late.size() || late[late_].before != index_of(from) || late[late_].after != index_of(to)) {
            differ("it adds another edge than before\n  now        " + detail::line_text(where));
        }
        ++late_;
    }

private:
    using record = detail::program_record;
    using role = detail::planned_edges::role;
    static constexpr std::uint32_t not_planned = 0xFFFFFFFFu;

    struct arena {
        node made;
        allocation_ref allocation;
        std::uint64_t start;    // as the driver gave it
        std::uint64_t address;  // aligned
    };

    [[nodiscard]] dependencies at(std::span<const node> nodes, source_line where) const {
        return dependencies(nodes, where.file, where.line);
    }

    void add_arenas() {
        constexpr std::uint64_t of_the_driver = 512;
        for (std::uint32_t k = 0; k < plan_->arenas().size(); ++k) {
            std::uint64_t peers = 0;
            int ordinal = 0;
            for (const memory_plan::allocation& a : plan_->allocations()) {
                if (a.arena == k) {
                    peers |= program_->allocations()[a.number].peers;
                    ordinal = program_->allocations()[a.number].device;
                }
            }
            alloc_options how = named("the arena of a plan").on(device{ordinal});
            for (int peer = 0; peer < 64; ++peer) {
                if ((peers >> peer & 1) != 0) {
                    how = how.shared_with(device{peer});
                }
            }
            const std::uint64_t alignment = plan_->alignment();
            const std::uint64_t bytes = plan_->arenas()[k].bytes + (alignment > of_the_driver ? alignment - of_the_driver : 0);
            const alloc_result made =
                graph_.emit_alloc(at({}, at_), alloc_request{bytes, bytes, 1, detail::type_name<std::byte>(), how});
            arenas_.push_back({made.made,
                               {detail::handle_access::parts(made.made).graph, made.allocation},
                               made.address,
                               detail::rounded_up(made.address, alignment)});
            built_[edges_.arena_node(k)] = made.made;
        }
    }

    // ---- the same calls as before

    /// The number of a call's node, once it is known to be the same call as before.
    std::uint32_t begin(const dependencies& deps, node_kind what, detail::call_signature signature,
                        std::span<const memory_use> uses = {}) {
        const std::uint32_t n = next_;
        signature.add(
            deps, uses, [&](const node& each) { return index_of(each); }, [&](allocation_ref which) { return number_of(which); });
        if (n == program_->node_count() || program_->signature_of(n) != signature.value()) [[unlikely]] {
            refuse(n, what, deps.where());
        }
        ++next_;
        return n;
    }
    [[gnu::cold, gnu::noinline]] void refuse(std::uint32_t n, node_kind what, source_line where) const {
        if (n == program_->node_count()) {
            differ("it makes more than the " + std::to_string(n) + " nodes of before\n  now        " + detail::line_text(where) +
                   "   " + detail::kind_text(what));
        }
        const node_kind then = program_->model().kind_of(n);
        differ("node " + std::to_string(n) + " is another, or has other sizes, uses or dependencies\n  before     " +
               detail::line_text(program_->model().added_at(n)) + "   " + detail::kind_text(then) + "\n  now        " +
               detail::line_text(where) + "   " + detail::kind_text(what));
    }
    [[noreturn]] static void differ(const std::string& how) {
        throw misuse("plan", "the program does not do the same when it is built as when it was planned: " + how +
                                 "\n  fix: let the program depend on its arguments alone, and change nothing that they refer to");
    }
    /// The numbers in the program of a node and of an allocation. Those of what leaves are the graph's own.
    [[nodiscard]] std::uint32_t index_of(const node& n) const noexcept {
        const detail::node_parts& parts = detail::handle_access::parts(n);
        return parts.graph != detail::planned_graph_id && parts.index < made_by_.size() ? made_by_[parts.index] : parts.index;
    }
    [[nodiscard]] std::uint32_t number_of(allocation_ref which) const noexcept {
        if (which.graph == detail::planned_graph_id) {
            return which.index;
        }
        const std::size_t place = which.index - arenas_.size();  // the arenas come first
        return which.graph == graph_id_ && place < leaving_.size() ? leaving_[place] : record::none;
    }

    // ---- their translation

    /// What a node comes after in the graph, for one call.
    [[nodiscard]] dependencies before(std::uint32_t n, source_line where) {
        nodes_.clear();
        for (const std::uint32_t d : edges_.dependencies_of(n)) {
            nodes_.push_back(built_[d]);
        }
        return at(nodes_, where);
    }
    void vanish(std::uint32_t n, source_line where) {
        if (edges_.role_of(n) == role::stood_for_by_an_empty_node) {
            built_[n] = graph_.emit_empty(before(n, where));
        }
    }
    [[nodiscard]] static node vanished(std::uint32_t n) noexcept {
        return detail::handle_access::make_node(nullptr, detail::planned_graph_id, n);
    }
    node keep(std::uint32_t n, const node& made) {
        built_[n] = made;
        return detail::handle_access::make_node(made.get(), detail::planned_graph_id, n);
    }
    // Uses of the arena are not recorded again: the plan was made from a program that was checked, and the arena's free
    // comes after all of its last nodes.
    [[nodiscard]] static memory_use in_arena(const memory_use& use) noexcept {
        return use.allocation.graph == detail::planned_graph_id ? memory_use{} : use;
    }
    [[nodiscard]] std::span<const memory_use> in_arena(std::span<const memory_use> uses) {
        uses_.clear();
        for (const memory_use& use : uses) {
            if (use.allocation.graph != detail::planned_graph_id) {
                uses_.push_back(use);
            }
        }
        return uses_;
    }

    void finish() {
        if (next_ != program_->node_count() || late_ != program_->late_edges().size()) {
            differ("it makes " + std::to_string(next_) + " nodes and " + std::to_string(late_) + " edges between them, before " +
                   std::to_string(program_->node_count()) + " and " + std::to_string(program_->late_edges().size()));
        }
        for (std::uint32_t n = 0; edges_.any_late() && n < next_; ++n) {
            if (edges_.role_of(n) != role::vanished) {
                for (const std::uint32_t before : edges_.late_dependencies_of(n)) {
                    graph_.emit_dependency(built_[before], built_[n], at_);
                }
            }
        }
        for (std::uint32_t k = 0; k < arenas_.size(); ++k) {
            nodes_.clear();
            for (const std::uint32_t last : edges_.last_of(k)) {
                nodes_.push_back(built_[last]);
            }
            graph_.emit_free(at(nodes_, at_), free_request{arenas_[k].made, arenas_[k].allocation, arenas_[k].start});
        }
    }

    memory_graph graph_;
    const record* program_;
    const memory_plan* plan_;
    detail::planned_edges edges_;
    source_line at_;
    std::vector<arena> arenas_;
    std::vector<node> built_;              // of the nodes that are in the graph, by number; then the arenas' allocations
    std::vector<std::uint32_t> place_of_;  // of each allocation, in the plan
    std::vector<std::uint32_t> leaving_;   // what leaves, by number, in order
    std::vector<std::uint32_t> made_by_;   // the numbers of the nodes that allocate it, by their place in the graph
    std::uint32_t graph_id_ = 0;
    std::uint32_t next_ = 0;
    std::uint32_t allocations_ = 0;
    std::size_t late_ = 0;
    std::vector<node> nodes_;
    std::vector<memory_use> uses_;
};

}  // namespace v0
}  // namespace allograph
