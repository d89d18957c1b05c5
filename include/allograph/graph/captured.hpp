#pragma once

#include <span>

#include <allograph/graph/captured_nodes.hpp>
#include <allograph/model/alloc_node.hpp>
#include <allograph/model/graph_kind.hpp>
#include <allograph/model/node_builder.hpp>

namespace allograph {
inline namespace v0 {

template <graph_kind Kind, checking Checks>
class capture_scope;
namespace detail {
template <graph_kind Kind, checking Checks>
struct capturing;
}

struct because_an_allocation_is_taken_by_its_address_and_element_type {};
struct because_a_capture_describes_one_graph_write_std_move {};

/// What a capture left in its graph: where later work goes on, and the allocations that were captured.
///
/// Valid as long as the graph. With checks, every captured node and allocation is in the graph's model; without, the
/// driver is asked for an allocation when it is taken.
template <checking Checks = checking::on>
class captured {
    static constexpr bool checks = Checks == checking::on;

public:
    captured(captured&&) noexcept = default;
    captured& operator=(captured&&) noexcept = default;
    captured(const captured&, because_a_capture_describes_one_graph_write_std_move = {}) = delete;

    /// The nodes that the stream's next work would depend on: a range of dependencies for what comes after the capture.
    /// Where nothing was captured, those that the capture began after.
    [[nodiscard]] const std::vector<node>& after() const noexcept { return last_; }

    /// Every node that the capture added, each behind its dependencies.
    [[nodiscard]] const std::vector<node>& nodes() const noexcept
        requires(checks)
    {
        return nodes_;
    }

    /// False where the driver did not say what some node touches, so that uses of it went unseen: kernels with headers
    /// before CUDA 12.4, copies of arrays.
    [[nodiscard]] bool fully_read() const noexcept
        requires(checks)
    {
        return fully_read_;
    }

    /// Makes the token of an allocation that was captured (`cuMemAllocAsync`). It needs a fate then, like any other; one
    /// that is neither taken nor freed inside has none (rule F10).
    /// @param address  where the captured call said that the allocation begins
    /// @throws misuse [F2] when no captured allocation begins there or it holds no whole number of `T`, [F1] when it was
    ///         freed inside of the capture, [F9] when it was taken already; driver_error
    /// Driver: cuGraphMemAllocNodeGetParams
    template <class T>
        requires(device_element<T>)
    [[nodiscard]] alloc_node<T, Checks> take(std::uint64_t address, const char* file = __builtin_FILE(),
                                             unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        detail::captured_allocation& found = checks ? recorded(address, where) : asked_for(address, where);
        if (found.bytes % sizeof(T) != 0) {
            detail::broken_rule(
                "F2", "a captured allocation that holds no whole number of such elements: take it as what it was allocated for",
                where);
        }
        found.taken = true;
        return detail::handle_access::make<alloc_node<T, Checks>>(
            found.made, found.address, static_cast<std::size_t>(found.bytes / sizeof(T)), found.allocation);
    }
    template <class T>
        requires(device_element<T>)
    [[nodiscard]] alloc_node<T, Checks> take(const device_ptr<T>& data, const char* file = __builtin_FILE(),
                                             unsigned line = __builtin_LINE()) {
        return take<T>(data.address(), file, line);
    }
    template <class M, class Reason = because_an_allocation_is_taken_by_its_address_and_element_type>
    void take(const M&) = delete;

    /// Says that a captured call freed an allocation of another graph (`cuMemFreeAsync` of its address). That is its fate then,
    /// as if this graph had added the free by hand: each launch of this graph ends what a launch of the other one began.
    /// @param token  consumed on success
    /// @throws misuse [F2] when no captured free names its address, [F1] when it is freed already or the free is another
    ///         token's, [F4] when its graph is gone, [F9]
    template <class T>
    void freed(alloc_node<T, Checks>&& token, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        if constexpr (checks) {
            const source_line where{file, line};
            if (token.spent()) {
                detail::broken_rule("F9", "the token is spent: it was moved away or has its fate already", where);
            }
            detail::captured_free* found = nullptr;
            for (detail::captured_free& each : frees_) {
                if (each.address == token.data().address() && (found == nullptr || !each.told)) {
                    found = &each;
                }
            }
            if (found == nullptr) {
                detail::broken_rule(
                    "F2", "no captured call freed this allocation, or it is one of this graph, which knows already", where);
            }
            if (found->told) {
                detail::broken_rule("F1", "the captured free is that of another token", where);
            }
            detail::ledger* const mine = detail::ledger::find(id_);
            if (mine == nullptr) {
                detail::broken_rule("G10", "the graph that was captured into is gone", where);
            }
            mine->commit_free(mine->prepare_free(token.allocation(), where));
            found->told = true;
        }
        detail::handle_access::spend(token);
    }
    template <class M, class Reason = because_the_free_spends_the_allocation_write_std_move>
    void freed(M&) = delete;

private:
    template <graph_kind, checking>
    friend class capture_scope;
    template <graph_kind, checking>
    friend struct detail::capturing;

    captured(CUgraph of, std::uint32_t id, std::vector<node>&& last) noexcept
        : graph_(of), id_(id), last_(static_cast<std::vector<node>&&>(last)) {}

    /// Of several at one address the one that may be taken; there is no more than one.
    detail::captured_allocation& recorded(std::uint64_t address, source_line where) {
        detail::captured_allocation* found = nullptr;
        for (detail::captured_allocation& each : allocations_) {
            if (each.address == address && (found == nullptr || !each.freed)) {
                found = &each;
            }
        }
        if (found == nullptr) {
            detail::broken_rule("F2", "no allocation of this capture begins at this address", where);
        }
        if (found->freed) {
            detail::broken_rule("F1", "the allocation was freed inside of the capture: there is nothing to take", where);
        }
        if (found->taken) {
            detail::broken_rule("F9", "the allocation was taken already: it has one token", where);
        }
        return *found;
    }

    detail::captured_allocation& asked_for(std::uint64_t address, source_line where) {
        for (const CUgraphNode each : detail::node_reader<>::nodes_of(graph_, where)) {
            if (driver::graph_node_get_type(each, where) == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
                const CUDA_MEM_ALLOC_NODE_PARAMS parameters = driver::graph_mem_alloc_node_get_params(each, where);
                if (parameters.dptr == address) {  // the last of several: earlier ones were freed
                    allocations_.assign(
                        1, {detail::handle_access::make_node(each, id_, 0), address, parameters.bytesize, 0, false, false});
                }
            }
        }
        if (allocations_.empty() || allocations_.front().address != address) {
            detail::broken_rule("F2", "no allocation of this graph begins at this address", where);
        }
        return allocations_.front();
    }

    CUgraph graph_;
    std::uint32_t id_;
    std::vector<node> last_;
    std::vector<node> nodes_;
    std::vector<detail::captured_allocation> allocations_;
    std::vector<detail::captured_free> frees_;
    bool fully_read_ = true;
    bool declared_ = false;  // the only last node stands for the uses that the caller said
};

}  // namespace v0
}  // namespace allograph
