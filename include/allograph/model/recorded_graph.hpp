#pragma once

#include <cstdint>
#include <span>

#include <allograph/model/node_builder.hpp>
#include <allograph/model/recorder.hpp>

namespace allograph {
inline namespace v0 {

/// A graph that exists in the model alone: programs are checked at run time with it, at any size.
class recorded_graph : public node_builder<recorded_graph, graph_kind::memory> {
public:
    /// An empty one. @param graph_id  what its nodes carry, not 0; two that meet in one program need two
    explicit recorded_graph(std::uint32_t graph_id = detail::model_graph_id) : model_(graph_id) {}

    /// The model that records it.
    [[nodiscard]] recorder& model() noexcept { return model_; }
    [[nodiscard]] const recorder& model() const noexcept { return model_; }

    /// What `node_builder` calls, one for each kind of node: checks it and records it. Addresses are made up, and distinct.
    /// @throws misuse as `recorder` does
    alloc_result emit_alloc(const dependencies& deps, const alloc_request& request) {
        model_.check_alloc(deps, request);
        const std::uint64_t address = next_address_;
        next_address_ += (request.bytes + 511) / 512 * 512;
        const std::uint32_t allocation = model_.allocation_count();
        return {made(model_.commit(nullptr, address)), address, allocation};
    }
    /// Records a free.
    node emit_free(const dependencies& deps, const free_request& request) {
        model_.check_free(deps, request);
        return made(model_.commit(nullptr));
    }
    /// Records a memset.
    node emit_memset(const dependencies& deps, const memset_request& request) {
        return add(deps, node_kind::memset, nullptr, std::span<const memory_use>(&request.use, 1));
    }
    /// Records a copy.
    node emit_memcpy(const dependencies& deps, const memcpy_request& request) {
        const memory_use uses[] = {request.from.use, request.to.use};
        return add(deps, node_kind::memcpy, nullptr, uses);
    }
    /// Records a kernel by its name and its uses.
    template <class Kernel, class... Args>
    node emit_kernel(const dependencies& deps, std::span<const memory_use> uses, const Kernel& function, const launch_config&,
                     const Args&...) {
        return add(deps, node_kind::kernel, function.name(), uses);
    }
    /// Records a host function by its uses; it is not called.
    template <class F>
    node emit_host(const dependencies& deps, std::span<const memory_use> uses, F&&) {
        return add(deps, node_kind::host, nullptr, uses);
    }
    /// Records captured work as one node; it does not run.
    template <class F>
    node emit_captured(const dependencies& deps, std::span<const memory_use> uses, F&) {
        return add(deps, node_kind::captured, nullptr, uses);
    }
    /// Records an empty node.
    node emit_empty(const dependencies& deps) { return add(deps, node_kind::empty, nullptr, {}); }
    /// Records an edge.
    void emit_dependency(const node& from, const node& to, source_line where) {
        model_.check_dependency(from, to, where);
        model_.commit_dependency();
    }

private:
    node add(const dependencies& deps, node_kind what, const char* name, std::span<const memory_use> uses) {
        model_.check(deps, what, name, uses);
        return made(model_.commit(nullptr));
    }
    [[nodiscard]] node made(std::uint32_t index) const noexcept {
        return detail::handle_access::make_node(nullptr, model_.graph_id(), index);
    }

    recorder model_;
    std::uint64_t next_address_ = 512;  // no driver gives addresses: distinct ones do
};

}  // namespace v0
}  // namespace allograph
