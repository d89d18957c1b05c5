#pragma once

#include <cstring>

#include <allograph/driver/update_calls.hpp>
#include <allograph/graph/detail/kernel_parameters.hpp>
#include <allograph/graph/detail/ledger.hpp>
#include <allograph/graph/update_error.hpp>
#include <allograph/model/node_builder.hpp>

namespace allograph {
inline namespace v0 {

template <graph_kind Kind, checking Checks>
class basic_graph;

struct because_nothing_of_an_allocation_or_its_free_can_be_changed {};
struct because_a_node_is_updated_as_what_it_is {};
struct because_kernels_memsets_and_memcpys_alone_can_be_disabled {};
struct because_an_executable_with_memory_nodes_takes_no_other_graph_over {};
struct because_a_host_node_is_updated_with_a_function_and_its_data {};

namespace detail {

template <class N>
inline constexpr bool is_memory_node = is_alloc_node<N> || std::same_as<N, free_node>;
template <class N>
inline constexpr bool is_switchable =
    std::same_as<N, kernel_node> || std::same_as<N, memset_node> || std::same_as<N, memcpy_node>;
template <class N>
using why_not_updated = std::conditional_t<is_memory_node<N>, because_nothing_of_an_allocation_or_its_free_can_be_changed,
                                           because_a_node_is_updated_as_what_it_is>;
template <class N>
using why_not_switched = std::conditional_t<is_memory_node<N>, because_nothing_of_an_allocation_or_its_free_can_be_changed,
                                            because_kernels_memsets_and_memcpys_alone_can_be_disabled>;

/// The members that change an executable. Nodes are those of the graph that it was made of, or of the graphs inside of
/// it; a change counts from the next launch on, and does not reach the graph. Changed uses of memory are checked like
/// those of added nodes: the nodes' order is what it was.
template <class Derived, graph_kind Kind, checking Checks>
class exec_updates {
    static constexpr bool holds_graph = !capabilities_of(Kind).many_executables;
    static constexpr bool checked = Checks == checking::on && holds_graph;

public:
    /// Changes a kernel node: function, launch and arguments. A cluster stays as it was added.
    /// @throws misuse [D3] [D4] [O1] [O3] [argument]; driver_error. Driver: cuGraphExecKernelNodeSetParams_v2
    template <class... Params, class... Args>
        requires(arguments_match<kernel<void(Params...)>, Args...>)
    void update_kernel(const kernel_node& which, const kernel<void(Params...)>& function, const located<launch_config>& config,
                       const Args&... args) {
        set_kernel(which, function, config.value, config.where, std::make_index_sequence<sizeof...(Params)>{},
                   std::tuple<const Args&...>(args...));
    }
    template <class... Params, class... Args,
              class Reason = because_the_arguments_do_not_match_the_kernel_signature_in_count_or_type>
        requires(!arguments_match<kernel<void(Params...)>, Args...>)
    void update_kernel(const kernel_node&, const kernel<void(Params...)>&, const launch_config&, const Args&...) = delete;

    /// Changes memory and value of a memset node.
    /// @throws misuse [D3] [D4] [O1] [O3] [O5]; driver_error. Driver: cuGraphExecMemsetNodeSetParams
    template <class T>
        requires(sets<T, T>)
    void update_memset(const memset_node& which, const device_span<T>& memory, const std::type_identity_t<T>& value,
                       const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &value, sizeof(T));  // little endian, as everywhere that CUDA runs
        set_memset(which, memory, sizeof(T), bits, {file, line});
    }
    template <class T>
        requires(!std::is_const_v<T>)
    void update_memset(const memset_node& which, const device_span<T>& memory, zero_t, const char* file = __builtin_FILE(),
                       unsigned line = __builtin_LINE()) {
        set_memset(which, memory, sizeof(T) % 4 == 0 ? 4 : sizeof(T) % 2 == 0 ? 2 : 1, 0, {file, line});
    }
    template <class T, class V, class Reason = why_not_set<T, V>>
        requires(!sets<T, V>)
    void update_memset(const memset_node&, const device_span<T>&, const V&) = delete;

    /// Changes both sides of a memcpy node.
    /// @throws misuse [D3] [D4] [O1] [O3] [O5]; driver_error. Driver: cuGraphExecMemcpyNodeSetParams
    template <class Dst, class Src>
        requires(copies_for_good<Dst, Src>)
    void update_memcpy(const memcpy_node& which, Dst&& to, Src&& from, const char* file = __builtin_FILE(),
                       unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        const copy_side target = side_of(to, access::write);
        const copy_side source = side_of(from, access::read);
        const std::size_t count = elements_of(to);
        if (count == 0 || count != elements_of(from)) {
            broken_rule("O5", "a copy of 0 elements, or between memories of different sizes", where);
        }
        const memory_use uses[2] = {target.use, source.use};
        check_change(which, nullptr, uses, where);
        CUDA_MEMCPY3D parameters{};
        parameters.srcMemoryType = source.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
        parameters.srcDevice = source.address;
        parameters.srcHost = source.host;
        parameters.dstMemoryType = target.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
        parameters.dstDevice = target.address;
        parameters.dstHost = const_cast<void*>(target.host);  // the target is a range of non-const elements
        parameters.WidthInBytes = count * sizeof(copy_element_t<Dst>);
        parameters.Height = 1;
        parameters.Depth = 1;
        driver::graph_exec_memcpy_node_set_params(self().exec_, which.get(), parameters, context(), where);
        forget_borrows();
    }
    template <class Dst, class Src, class Reason = why_not_copied<Dst, Src>>
        requires(!copies_for_good<Dst, Src>)
    void update_memcpy(const memcpy_node&, Dst&&, Src&&) = delete;

    /// Changes what a host node calls. Function and data are the caller's, and must outlive the launches.
    /// @throws misuse [D3] [D4]; driver_error. Driver: cuGraphExecHostNodeSetParams
    void update_host(const host_node& which, CUhostFn function, void* data, const char* file = __builtin_FILE(),
                     unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        check_change(which, nullptr, {}, where);
        CUDA_HOST_NODE_PARAMS parameters{};
        parameters.fn = function;
        parameters.userData = data;
        driver::graph_exec_host_node_set_params(self().exec_, which.get(), parameters, where);
    }
    template <class F, class Reason = because_a_host_node_is_updated_with_a_function_and_its_data>
    void update_host(const host_node&, F&&) = delete;

    /// A disabled node does nothing, and order stays. Driver: cuGraphNodeSetEnabled
    template <class N>
        requires(is_switchable<N>)
    void set_enabled(const N& which, bool enabled, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        check_change(which, nullptr, {}, {file, line});
        driver::graph_node_set_enabled(self().exec_, which.get(), enabled, {file, line});
        forget_borrows();
    }
    /// Whether a node works. Driver: cuGraphNodeGetEnabled
    template <class N>
        requires(is_switchable<N>)
    [[nodiscard]] bool is_enabled(const N& which, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) const {
        return driver::graph_node_get_enabled(self().exec_, which.get(), {file, line});
    }

    /// Takes the parameters of another graph over, whose nodes and edges are those of this executable's.
    /// @throws update_error, the executable is as it was: `prevented()` is the node of the other graph
    /// Driver: cuGraphExecUpdate_v2
    template <checking Same>
        requires(!holds_graph && Same == Checks)
    void update(const basic_graph<Kind, Same>& other, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        [[maybe_unused]] lazy<std::vector<borrowed>, Derived> borrows;
        if constexpr (Checks == checking::on) {
            other.model(where);
            borrows = other.books().find_borrows();
        }
        CUgraphExecUpdateResultInfo info{};
        const CUresult result = driver::graph_exec_update(self().exec_, other.get(), info);
        if (result != CUDA_SUCCESS) {
            refuse_update(result, info, other, where);
        }
        if constexpr (Checks == checking::on) {
            self().graph_.borrows = std::move(borrows);
        }
    }

    // rules G6, G9
    template <class G, class Reason = because_an_executable_with_memory_nodes_takes_no_other_graph_over>
        requires holds_graph
    void update(const G&) = delete;
    template <class N, class... Args, class Reason = why_not_updated<N>>
        requires(!std::same_as<N, kernel_node>)
    void update_kernel(const N&, const Args&...) = delete;
    template <class N, class A, class B, class Reason = why_not_updated<N>>
        requires(!std::same_as<N, memset_node>)
    void update_memset(const N&, const A&, const B&) = delete;
    template <class N, class A, class B, class Reason = why_not_updated<N>>
        requires(!std::same_as<N, memcpy_node>)
    void update_memcpy(const N&, A&&, B&&) = delete;
    template <class N, class A, class B, class Reason = why_not_updated<N>>
        requires(!std::same_as<N, host_node>)
    void update_host(const N&, A&&, B&&) = delete;
    template <class N, class Reason = why_not_switched<N>>
        requires(!is_switchable<N>)
    void set_enabled(const N&, bool) = delete;
    template <class N, class Reason = why_not_switched<N>>
        requires(!is_switchable<N>)
    void is_enabled(const N&) const = delete;

private:
    Derived& self() noexcept { return static_cast<Derived&>(*this); }
    const Derived& self() const noexcept { return static_cast<const Derived&>(*this); }

    CUcontext context() const noexcept {
        if constexpr (holds_graph) {
            return self().graph_.context();
        } else {
            return self().graph_.context;
        }
    }

    template <class T>
    void set_memset(const memset_node& which, const device_span<T>& memory, unsigned unit, std::uint32_t bits,
                    source_line where) {
        if (memory.empty()) {
            broken_rule("O5", "a memset of 0 elements", where);
        }
        const memory_use use{memory.allocation(), access::write};
        check_change(which, nullptr, std::span(&use, 1), where);
        CUDA_MEMSET_NODE_PARAMS parameters{};
        parameters.value = bits;
        parameters.dst = memory.data().address();
        parameters.elementSize = unit;
        parameters.width = memory.size_bytes() / unit;
        parameters.height = 1;
        driver::graph_exec_memset_node_set_params(self().exec_, which.get(), parameters, context(), where);
        forget_borrows();
    }

    template <class... Params, std::size_t... I, class Tuple>
    void set_kernel(const kernel_node& which, const kernel<void(Params...)>& function, const launch_config& config,
                    source_line where, std::index_sequence<I...>, const Tuple& args) {
        if (!function.has_function()) {
            broken_rule("kernel", "a kernel without a function: it stands for one in the model alone", where);
        }
        if (config.has_cluster()) {
            broken_rule("grid", "the cluster of a kernel node stays as it was added: leave it out", where);
        }
        std::array<memory_use, sizeof...(Params)> touched{use_of_argument<Params>(std::get<I>(args))...};
        std::span<const memory_use> uses(touched.data(), touched.size());
        check_change(which, function.name(), uses, where);
        if constexpr (std::tuple_size_v<Tuple> > sizeof...(Params)) {
            check_change(which, function.name(), std::get<sizeof...(Params)>(args).items, where);
        }
        std::tuple<Params...> values{to_parameter<Params>(std::get<I>(args))...};
        void* pointers[sizeof...(Params) + 1] = {const_cast<void*>(static_cast<const void*>(&std::get<I>(values)))...};
        driver::graph_exec_kernel_node_set_params(self().exec_, which.get(),
                                                  kernel_parameters(function, config, context(), pointers), where);
        forget_borrows();
    }

    /// The node must be of this executable's graph, and its order must allow what it uses now.
    void check_change([[maybe_unused]] const node& which, [[maybe_unused]] const char* name,
                      [[maybe_unused]] std::span<const memory_use> uses, source_line where) {
        if (Checks == checking::on && which.get() == nullptr) {
            broken_rule("D4", "no node: it was default-constructed", where);
        }
        const node_parts& parts = handle_access::parts(which);
        if constexpr (checked) {
            auto& root = self().graph_.books();
            std::uint32_t index = parts.index;
            auto* at = parts.graph == 0 ? &root : root.find(parts.graph);
            if (parts.graph == 0) {
                index = root.model.index_of(which.get());
                if (index == lazy<recorder, Derived>::no_index) {
                    return;  // inside of a copied child, of which no model tells more
                }
            }
            if (at == nullptr || &at->outermost() != &root) {
                broken_rule("D3", "the node is of another graph than this executable's", where);
            }
            for (const memory_use& use : uses) {
                at->resolve(
                    at, index, use,
                    [&](auto& there, std::uint32_t user, std::uint32_t allocation) {
                        there.model.check_late_use(
                            user, allocation, [&] { return node_text(at->model.kind_of(index), name); }, where);
                    },
                    [](auto&) {});
            }
        } else if constexpr (Checks == checking::on) {
            if (parts.graph != 0 && self().graph_.graph_id != 0 && parts.graph != self().graph_.graph_id) {
                broken_rule("D3", "the node is of another graph than this executable's", where);
            }
        }
    }

    /// After a change of what a node uses: of other graphs' memory, nobody knows any more what is used.
    void forget_borrows() noexcept {
        if constexpr (checked) {
            self().graph_.books().borrows.clear();
        } else if constexpr (Checks == checking::on) {
            self().graph_.borrows.clear();
        }
    }

    template <class G>
    [[noreturn]] void refuse_update(CUresult result, const CUgraphExecUpdateResultInfo& info, const G& other, source_line where) {
        constexpr const char* reasons[] = {"",
                                           "an error of no more detail",
                                           "other edges or another number of nodes",
                                           "a node of another kind",
                                           "a kernel of another context or with another use of dynamic parallelism",
                                           "parameters that cannot change",
                                           "something that cannot be updated",
                                           "a kernel in another state",
                                           "other attributes of a node"};
        const auto why = static_cast<std::size_t>(info.result);
        std::string text =
            std::string("the other graph has ") + (why < std::size(reasons) ? reasons[why] : "something that prevents it");
        node prevented(info.errorNode != nullptr ? info.errorNode : info.errorFromNode);
        if constexpr (Checks == checking::on) {
            auto& model = other.model(where);
            if (const std::uint32_t index =
                    prevented.get() == nullptr ? lazy<recorder, Derived>::no_index : model.index_of(prevented.get());
                index != lazy<recorder, Derived>::no_index) {
                prevented = handle_access::make_node(prevented.get(), model.graph_id(), index);
                text += ": the " + std::string(kind_text(model.kind_of(index))) + " of " + line_text(model.added_at(index));
            }
        }
        throw update_error(result, info.result, text, prevented, where);
    }
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
