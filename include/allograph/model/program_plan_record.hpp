#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <allograph/model/finding.hpp>
#include <allograph/model/placement_problem.hpp>
#include <allograph/model/recorded_graph.hpp>
#include <allograph/model/verify.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// The id that nodes and allocations of a recorded program carry: no graph of the driver has it.
inline constexpr std::uint32_t planned_graph_id = 0xFFFFFFF0u;

/// What a call of a program asks for, as a number: to notice that the program does not do the same when it runs again.
class call_signature {
public:
    constexpr explicit call_signature(node_kind kind) noexcept { add(static_cast<std::uint64_t>(kind)); }
    constexpr void add(std::uint64_t value) noexcept {
        value_ = (value_ ^ value) * 0x9E3779B97F4A7C15u;
        value_ ^= value_ >> 32U;
    }
    /// @param node_index        of a node, its number in the program
    /// @param allocation_index  of an `allocation_ref`, its number in the program, or `program_record::none`
    template <class NodeIndex, class AllocationIndex>
    constexpr call_signature& add(const dependencies& deps, std::span<const memory_use> uses, NodeIndex&& node_index,
                                  AllocationIndex&& allocation_index) {
        for (std::size_t i = 0; i < deps.size(); ++i) {
            add(node_index(deps[i]));
        }
        add(deps.inferred() ? 1 : 0);
        for (const memory_use& use : uses) {
            add(2 * std::uint64_t{allocation_index(use.allocation)} + (use.how == access::write ? 1 : 0));
        }
        return *this;
    }
    [[nodiscard]] constexpr std::uint64_t value() const noexcept { return value_; }

private:
    std::uint64_t value_ = 0x243F6A8885A308D3u;
};

/// A program's calls, and the graph that they make, as far as planning and building need to know: the model of its
/// order, and the allocations.
class program_record : public node_builder<program_record, graph_kind::memory> {
public:
    static constexpr std::uint32_t none = 0xFFFFFFFFu;

    struct allocation {
        std::uint64_t bytes;
        std::uint64_t count;
        std::uint64_t alignment;
        std::uint64_t peers;
        const char* label;
        std::string_view type;
        std::uint32_t made_by;
        std::uint32_t freed_by;  // none for one that leaves
        int device;
    };

    explicit program_record(device own) : graph_(planned_graph_id), own_(own) {}

    /// Runs a program. @throws misuse with everything that is wrong with it
    template <class Program, class... Args>
    static program_record of(device own, const Program& program, const Args&... args) {
        program_record record(own);
        std::vector<finding> findings;
        recorder& model = record.graph_.model();
        model.collect_into(&findings);
        run_program(
            record,
            [&](allocation_ref which, fate end) {
                if (which.graph == planned_graph_id) {
                    model.set_fate(which.index, end == fate::output ? allocation_fate::output : allocation_fate::auto_freed);
                }
            },
            program, args...);
        model.require_fates({}, {});
        model.collect_into(nullptr);
        if (!findings.empty()) {
            raise(findings);
        }
        record.collect_edges();
        return record;
    }

    [[nodiscard]] const recorder& model() const noexcept { return graph_.model(); }
    [[nodiscard]] std::uint32_t node_count() const noexcept { return model().node_count(); }
    [[nodiscard]] std::span<const allocation> allocations() const noexcept { return allocations_; }
    [[nodiscard]] std::uint64_t signature_of(std::uint32_t index) const noexcept { return signatures_[index]; }
    /// All edges: those of the calls, inferred ones included, and the later ones.
    [[nodiscard]] const std::vector<model::order_edge>& edges() const noexcept { return edges_; }
    /// What `add_dependency` was called with.
    [[nodiscard]] std::span<const model::order_edge> late_edges() const noexcept { return late_; }

    alloc_result emit_alloc(const dependencies& deps, const alloc_request& request) {
        const alloc_result made = graph_.emit_alloc(deps, request);
        const alloc_options& how = request.options;
        allocations_.push_back({request.bytes, request.count, request.alignment, how.peers(), how.label(), request.type_name,
                                parts_of(made.made).index, none, how.has_device() ? how.where().ordinal : own_.ordinal});
        called(deps, signature_of_alloc(request));
        return made;
    }
    node emit_free(const dependencies& deps, const free_request& request) {
        if (request.allocation.graph != planned_graph_id) {
            broken_rule("plan",
                        "a program that is planned frees an allocation of another graph: plans know their own allocations alone",
                        deps.where());
        }
        const node made = graph_.emit_free(deps, request);
        allocations_[request.allocation.index].freed_by = parts_of(made).index;
        called(deps, signature_of_free(request.allocation.index));
        return made;
    }
    node emit_memset(const dependencies& deps, const memset_request& request) {
        called(deps, signature_of_memset(request), std::span<const memory_use>(&request.use, 1));
        return graph_.emit_memset(deps, request);
    }
    node emit_memcpy(const dependencies& deps, const memcpy_request& request) {
        const memory_use uses[] = {request.to.use, request.from.use};
        called(deps, signature_of_memcpy(request), uses);
        return graph_.emit_memcpy(deps, request);
    }
    template <class Kernel, class... Args>
    node emit_kernel(const dependencies& deps, std::span<const memory_use> uses, const Kernel& function,
                     const launch_config& config, const Args&... args) {
        called(deps, call_signature(node_kind::kernel), uses);
        return graph_.emit_kernel(deps, uses, function, config, args...);
    }
    template <class F>
    node emit_host(const dependencies& deps, std::span<const memory_use> uses, F&& function) {
        called(deps, call_signature(node_kind::host), uses);
        return graph_.emit_host(deps, uses, static_cast<F&&>(function));
    }
    template <class F>
    node emit_captured(const dependencies& deps, std::span<const memory_use> uses, F& work) {
        called(deps, call_signature(node_kind::captured), uses);
        return graph_.emit_captured(deps, uses, work);
    }
    node emit_empty(const dependencies& deps) {
        called(deps, call_signature(node_kind::empty));
        return graph_.emit_empty(deps);
    }
    void emit_dependency(const node& from, const node& to, source_line where) {
        graph_.emit_dependency(from, to, where);
        late_.push_back({parts_of(from).index, parts_of(to).index});
    }

    // The signatures of calls, without the dependencies and the uses.

    [[nodiscard]] static call_signature signature_of_alloc(const alloc_request& request) noexcept {
        call_signature s(node_kind::alloc);
        s.add(request.bytes);
        const auto ordinal = request.options.has_device() ? static_cast<std::uint32_t>(request.options.where().ordinal) + 1 : 0;
        s.add(std::uint64_t{request.alignment} << 32U | ordinal);  // of at most 512
        s.add(request.options.peers());
        return s;
    }
    [[nodiscard]] static call_signature signature_of_free(std::uint32_t allocation) noexcept {
        call_signature s(node_kind::free);
        s.add(allocation);
        return s;
    }
    [[nodiscard]] static call_signature signature_of_memset(const memset_request& request) noexcept {
        call_signature s(node_kind::memset);
        s.add(request.element_bytes * request.count);
        return s;
    }
    [[nodiscard]] static call_signature signature_of_memcpy(const memcpy_request& request) noexcept {
        call_signature s(node_kind::memcpy);
        s.add(request.bytes);
        return s;
    }

private:
    static const node_parts& parts_of(const node& n) noexcept { return handle_access::parts(n); }

    [[noreturn]] static void raise(const std::vector<finding>& findings) {
        std::string text = std::to_string(findings.size()) + (findings.size() == 1 ? " mistake" : " mistakes") +
                           " in a program that is to be planned";
        for (const finding& f : findings) {
            text += "\n\n" + f.text;
        }
        throw misuse(findings.front().rule, text);
    }

    void collect_edges() {
        edges_.reserve(given_edges_ + late_.size());
        for (std::uint32_t i = 0; i < node_count(); ++i) {
            model().each_dependency(i, [&](std::uint32_t before) { edges_.push_back({before, i}); });
        }
        edges_.insert(edges_.end(), late_.begin(), late_.end());
    }

    void called(const dependencies& deps, call_signature signature, std::span<const memory_use> uses = {}) {
        given_edges_ += deps.size();
        signature.add(
            deps, uses, [](const node& n) { return parts_of(n).index; },
            [](allocation_ref which) { return which.graph == planned_graph_id ? which.index : none; });
        signatures_.push_back(signature.value());
    }

    recorded_graph graph_;
    device own_;
    std::vector<allocation> allocations_;
    std::vector<std::uint64_t> signatures_;
    std::vector<model::order_edge> late_;
    std::vector<model::order_edge> edges_;
    std::size_t given_edges_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
