#pragma once

#include <allograph/detail/take.hpp>
#include <allograph/driver/exec_calls.hpp>
#include <allograph/driver/graph_calls.hpp>
#include <allograph/graph/capture_mode.hpp>
#include <allograph/graph/child.hpp>
#include <allograph/graph/conditional.hpp>
#include <allograph/graph/detail/device_info.hpp>
#include <allograph/graph/detail/family_footprint.hpp>
#include <allograph/graph/detail/host_function.hpp>
#include <allograph/graph/detail/independent.hpp>
#include <allograph/graph/detail/kernel_parameters.hpp>
#include <allograph/graph/detail/ledger.hpp>
#include <allograph/graph/detail/memory_guard.hpp>
#include <allograph/graph/detail/more_nodes.hpp>
#include <allograph/graph/detail/raw_dependencies.hpp>
#include <allograph/graph/instantiate_options.hpp>
#include <allograph/model/node_builder.hpp>

namespace allograph {
inline namespace v0 {

template <graph_kind Kind, checking Checks, class Fates>
class graph_exec;
template <graph_kind Kind, checking Checks>
class capture_scope;
namespace detail {
template <class Derived, graph_kind Kind, checking Checks>
class exec_updates;
template <graph_kind Kind, checking Checks>
struct adopting;  // include <allograph/graph/adopt.hpp>
template <graph_kind Kind, checking Checks>
struct capturing;  // include <allograph/capture.hpp>
}  // namespace detail
class planned_graph;

struct because_the_executable_holds_the_graph_write_std_move {};
struct because_a_graph_with_memory_nodes_cannot_be_cloned {};
struct because_no_node_of_a_graph_with_memory_nodes_can_be_destroyed {};
struct because_no_edge_of_a_graph_with_memory_nodes_can_be_removed {};
struct because_only_a_graph_of_its_own_is_instantiated_not_a_child_or_a_body {};
struct because_an_executable_is_launched_write_instantiate {};
struct because_a_graph_makes_its_own_handle_name_its_device {};
struct because_a_graph_keeps_its_kind {};
struct because_a_graph_is_not_copied_silently_write_clone_or_std_move {};
struct because_the_capture_holds_the_graph_write_std_move {};

/// A graph of the driver; `graph` and `memory_graph` are its two common kinds.
///
/// Owns its `CUgraph`, unless another graph holds it: a moved child or the body of a conditional is valid as long as the
/// graph around it, which owns it. Move-only; not thread-safe, like the driver's own (rule X11). With `checking::on`, the
/// default, a model of the graph finds wrong dependencies, orders and fates at the line that makes them; with
/// `checking::off` the members are the raw calls.
template <graph_kind Kind, checking Checks = checking::on>
class basic_graph : public node_builder<basic_graph<Kind, Checks>, Kind, Checks>,
                    public detail::more_nodes<basic_graph<Kind, Checks>, Kind>,
                    public detail::child_nodes<basic_graph<Kind, Checks>, Kind, Checks>,
                    public detail::conditional_nodes<basic_graph<Kind, Checks>, Kind, Checks> {
    using builder = node_builder<basic_graph<Kind, Checks>, Kind, Checks>;
    static constexpr bool checks = Checks == checking::on;
    using ledger = detail::lazy<detail::ledger, basic_graph>;
    using recorder = detail::lazy<allograph::recorder, basic_graph>;

public:
    using builder::can;

    /// An empty graph, whose nodes run on `where_it_runs` unless they say otherwise. Starts the driver, and makes
    /// the device's primary context current where the thread has no context.
    /// @throws misuse [A6]; driver_error
    /// Driver: cuGraphCreate
    explicit basic_graph(device where_it_runs = device{0}, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE())
        requires(can.instantiable)
        : device_(where_it_runs), id_(detail::next_graph_id()) {
        const source_line where{file, line};
        info_ = &detail::info_of(device_, where);
        context_ = detail::context_for(device_, where);
        graph_ = driver::graph_create(where);
        own_ledger([&] { return new ledger(id_); });
    }
    basic_graph(basic_graph&& other) noexcept { swap(other); }
    basic_graph& operator=(basic_graph&& other) noexcept {
        basic_graph taken(std::move(other));
        swap(taken);
        return *this;
    }
    basic_graph(const basic_graph&, because_a_graph_is_not_copied_silently_write_clone_or_std_move = {}) = delete;
    template <class Reason = because_a_graph_is_not_copied_silently_write_clone_or_std_move>
    basic_graph& operator=(basic_graph&) = delete;
    template <graph_kind Other, checking Others, class Reason = because_a_graph_keeps_its_kind>
        requires(Other != Kind || Others != Checks)
    explicit basic_graph(const basic_graph<Other, Others>&) = delete;
    explicit basic_graph(CUgraph, because_a_graph_makes_its_own_handle_name_its_device = {}) = delete;
    ~basic_graph() {
        if constexpr (can.instantiable) {
            bool whole = graph_ != nullptr;
            if constexpr (checks) {
                whole = whole && (ledger_ == nullptr || !ledger_->lost);
            }
            if (whole) {
                cuGraphDestroy(graph_);
            }
            delete ledger_;
        }
    }

    /// Takes a graph of the driver over, whoever built it. With checks, its nodes are read back into the model, and
    /// judged like added ones; allocations that it does not free can be taken as tokens. Include allograph/graph/adopt.hpp.
    /// @param raw            owned from here on, on success; it has no executable
    /// @param where_it_runs  for nodes that are added later
    /// @return the graph and what was found in it
    /// @throws misuse [O1] [O2] [O3] [O4] [F1], [kind] for memory nodes in a plain graph, [C15] for a moved child; driver_error
    /// Driver: cuGraphGetNodes, cuGraphNodeGetType and the functions that read parameters
    template <checking Same = Checks>
        requires(can.instantiable && Same == Checks)
    [[nodiscard]] static auto adopt(CUgraph raw, device where_it_runs = device{0}, const char* file = __builtin_FILE(),
                                    unsigned line = __builtin_LINE()) {
        basic_graph around(where_it_runs, file, line);
        cuGraphDestroy(detail::take(around.graph_));
        return detail::adopting<Kind, Same>::adopt(std::move(around), raw, {file, line});
    }
    /// Gives the driver's graph to the caller, who destroys it. Tokens of its allocations are worth nothing afterwards.
    [[nodiscard]] CUgraph release() && noexcept
        requires(can.instantiable)
    {
        if constexpr (checks) {
            ledger_->lose_sight();
        }
        delete detail::take(ledger_);
        return detail::take(graph_);
    }

    /// The driver's handle; the graph keeps it. What is added to it directly is not checked.
    [[nodiscard]] CUgraph get() const noexcept { return graph_; }
    /// The device whose context runs the nodes.
    [[nodiscard]] device where_it_runs() const noexcept { return device_; }

    /// Physical memory that launches will take, in whole chunks: it follows from the addresses alone (rule M3). The
    /// size of a chunk is measured once a device.
    [[nodiscard]] memory_footprint footprint(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) const
        requires(can.memory_nodes && checks)
    {
        return detail::family_footprint(*ledger_, {file, line});
    }

    /// Makes the executable, which takes the graph over: there may be one at a time (rule G5).
    /// @param a,b,c  in any order: `outputs(...)` or `auto_free(...)`, `upload_to{stream}`, `use_node_priorities`
    /// @throws misuse [F10] naming each allocation without a fate; driver_error. Graph and options stay as they were, but
    ///         outputs that are made in the call die with it, tokens and all: name them first where a failure is to be survived
    /// Driver: cuGraphInstantiateWithParams
    template <class A = detail::no_option, class B = detail::no_option, class C = detail::no_option>
        requires(can.instantiable && !can.many_executables && detail::memory_graph_option<A> && detail::memory_graph_option<B> &&
                 detail::memory_graph_option<C> && detail::count_fates<A, B, C> <= 1)
    [[nodiscard]] auto instantiate(A&& a = {}, B&& b = {}, C&& c = {}, const char* file = __builtin_FILE(),
                                   unsigned line = __builtin_LINE()) && {
        using fates = typename detail::find_fates<A, B, C>::type;
        CUDA_GRAPH_INSTANTIATE_PARAMS parameters{};
        (detail::apply(a, parameters), detail::apply(b, parameters), detail::apply(c, parameters));
        if constexpr (detail::is_fates<fates>) {
            return take_over<fates>(parameters, detail::fates_among(a, b, c), {file, line});
        } else {
            no_fates none;
            return take_over<fates>(parameters, none, {file, line});
        }
    }
    template <class... Options, class Reason = because_the_executable_holds_the_graph_write_std_move>
        requires(can.instantiable && !can.many_executables)
    void instantiate(Options&&...) const& = delete;
    template <class... Options, class Reason = detail::why_no_memory_graph_options<Options...>>
        requires(can.instantiable && !can.many_executables && !detail::memory_graph_options<Options...>)
    void instantiate(Options&&...) && = delete;
    template <class... Options, class Reason = because_only_a_graph_of_its_own_is_instantiated_not_a_child_or_a_body>
        requires(!can.instantiable)
    void instantiate(Options&&...) const = delete;

    /// Makes an executable, one of as many as are wanted: a plain graph stays as it is.
    /// @param a,b,c  in any order: `upload_to{stream}`, `use_node_priorities`, `device_launch`
    /// Driver: cuGraphInstantiateWithParams
    template <class A = detail::no_option, class B = detail::no_option, class C = detail::no_option>
        requires(can.many_executables && detail::plain_graph_option<std::remove_cvref_t<A>> &&
                 detail::plain_graph_option<std::remove_cvref_t<B>> && detail::plain_graph_option<std::remove_cvref_t<C>>)
    [[nodiscard]] auto instantiate(A&& a = {}, B&& b = {}, C&& c = {}, const char* file = __builtin_FILE(),
                                   unsigned line = __builtin_LINE()) const {
        CUDA_GRAPH_INSTANTIATE_PARAMS parameters{};
        (detail::apply(a, parameters), detail::apply(b, parameters), detail::apply(c, parameters));
        refuse_if_broken({file, line});
        detail::independent held{{}, context_, id_, {}};
        if constexpr (checks) {
            held.only = only_executable({file, line});
            held.borrows = ledger_->find_borrows();
        }
        const CUgraphExec exec = driver::graph_instantiate_with_params(graph_, parameters, {file, line});
        held.only.set_live(true);
        return graph_exec<Kind, Checks, no_fates>(exec, std::move(held), no_fates{});
    }
    template <class... Options, class Reason = detail::why_no_plain_graph_options<Options...>>
        requires(can.many_executables && !detail::plain_graph_options<Options...>)
    void instantiate(Options&&...) const = delete;

    template <class... Args, class Reason = because_an_executable_is_launched_write_instantiate>
    void launch(const Args&...) const = delete;
    template <class... Args, class Reason = because_an_executable_is_launched_write_instantiate>
    void upload(const Args&...) const = delete;

    /// Captures a stream into this graph: until the scope ends, what is put on the stream becomes nodes (rules C11, C20).
    /// @param deps  nodes of this graph that the first captured node comes after
    /// @throws misuse [D2] [D3] [D4] [F9] (rule C19); driver_error. The graph stays as it was
    /// Driver: cuStreamBeginCaptureToGraph
    [[nodiscard]] capture_scope<Kind, Checks> capture(stream_ref stream, const dependencies& deps,
                                                      capture_mode mode = capture_mode::guards_this_thread) && {
        return capture_scope<Kind, Checks>(*this, stream.get(), deps, mode);
    }
    [[nodiscard]] capture_scope<Kind, Checks> capture(stream_ref stream, capture_mode mode = capture_mode::guards_this_thread,
                                                      const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) && {
        return capture_scope<Kind, Checks>(*this, stream.get(), dependencies({}, file, line), mode);
    }
    template <class... Args, class Reason = because_the_capture_holds_the_graph_write_std_move>
    void capture(const Args&...) & = delete;

    /// A graph of its own with the same nodes and edges.
    /// @throws misuse [C18] when it holds a conditional. Driver: cuGraphClone, cuGraphNodeFindInClone
    [[nodiscard]] basic_graph clone(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) const
        requires(can.removal)
    {
        const source_line where{file, line};
        if constexpr (checks) {
            model(where);
            if (ledger_->holds_conditional) {
                detail::broken_rule("C18", "a graph that holds a conditional node cannot be cloned", where);
            }
        }
        basic_graph copy(driver::graph_clone(graph_, where), *this);
        copy.own_ledger([&] {
            return new ledger(copy.id_, ledger_->model.clone_for(copy.id_, [&](CUgraphNode original) {
                return driver::graph_node_find_in_clone(original, copy.graph_, where);
            }));
        });
        return copy;
    }
    template <class Reason = because_a_graph_with_memory_nodes_cannot_be_cloned>
        requires(!can.removal)
    basic_graph clone() const = delete;

    /// The node of this graph, a clone, that stands for a node of the original. Driver: cuGraphNodeFindInClone
    template <node_handle H>
        requires(can.removal)
    [[nodiscard]] node find(const H& original, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) const {
        const node there = detail::to_node(original);
        return detail::handle_access::make_node(driver::graph_node_find_in_clone(there.get(), graph_, {file, line}), id_,
                                                detail::handle_access::parts(there).index);
    }

    /// Removes a node and its edges. @throws misuse [D3] [D4]. Driver: cuGraphDestroyNode
    template <node_handle H>
        requires(can.removal)
    void destroy_node(const H& handle, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        const node n = detail::to_node(handle);
        if constexpr (checks) {
            model(where).check_destruction(n, where);
        }
        driver::graph_destroy_node(n.get(), where);
        if constexpr (checks) {
            ledger_->model.commit_destruction();
        }
    }
    template <class H, class Reason = because_no_node_of_a_graph_with_memory_nodes_can_be_destroyed>
        requires(!can.removal)
    void destroy_node(const H&) = delete;

    /// Removes an edge. @throws misuse [D3] [D4], [D6] for an edge that is not there. Driver: cuGraphRemoveDependencies_v2
    template <node_handle From, node_handle To>
        requires(can.removal)
    void remove_dependency(const From& from, const To& to, const char* file = __builtin_FILE(),
                           unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        const node first = detail::to_node(from);
        const node second = detail::to_node(to);
        if constexpr (checks) {
            model(where).check_removal(first, second, where);
        }
        driver::graph_remove_dependency(graph_, first.get(), second.get(), where);
        if constexpr (checks) {
            ledger_->model.commit_removal();
        }
    }
    template <class From, class To, class Reason = because_no_edge_of_a_graph_with_memory_nodes_can_be_removed>
        requires(!can.removal)
    void remove_dependency(const From&, const To&) = delete;

private:
    friend class node_builder<basic_graph<Kind, Checks>, Kind, Checks>;
    template <class, graph_kind>
    friend class detail::more_nodes;
    template <graph_kind, checking>
    friend struct detail::adopting;
    template <graph_kind, checking>
    friend struct detail::capturing;
    template <class, graph_kind, checking>
    friend class detail::child_nodes;
    template <class, graph_kind, checking>
    friend class detail::exec_updates;
    template <class, graph_kind, checking>
    friend class detail::conditional_nodes;
    friend class planned_graph;  // translates the calls of a program, addresses and order, and adds what it translated
    template <graph_kind, checking, class>
    friend class graph_exec;
    template <graph_kind, checking>
    friend class capture_scope;

    /// A graph that another one owns. @param books  the other one's, null without checks
    basic_graph(CUgraph inside, CUcontext context, const detail::device_info* info, device where_it_runs, std::uint32_t id,
                ledger* books) noexcept
        requires(!can.instantiable)
        : graph_(inside), context_(context), info_(info), device_(where_it_runs), id_(id), ledger_(books) {}

    basic_graph(CUgraph clone, const basic_graph& original) noexcept
        : graph_(clone), context_(original.context_), info_(original.info_), device_(original.device_),
          id_(detail::next_graph_id()) {}

    void swap(basic_graph& other) noexcept {
        std::swap(graph_, other.graph_);
        std::swap(context_, other.context_);
        std::swap(info_, other.info_);
        other.info_ = other.info_ == nullptr ? info_ : other.info_;  // so that what was moved away can say so [G10]
        std::swap(device_, other.device_);
        std::swap(id_, other.id_);
        std::swap(unfinished_, other.unfinished_);
        std::swap(broken_, other.broken_);
        std::swap(ledger_, other.ledger_);
    }

    template <class Make>
    void own_ledger(Make&& make) {
        if constexpr (checks) {
            try {
                ledger_ = make();
            } catch (...) {
                cuGraphDestroy(detail::take(graph_));  // no destructor runs for a constructor that throws
                throw;
            }
        }
    }

    const ledger& books() const noexcept { return *ledger_; }
    ledger& books() noexcept { return *ledger_; }

    [[nodiscard]] CUcontext context() const noexcept { return context_; }

    recorder& model(source_line where) const {
        if constexpr (!can.instantiable) {
            if (ledger_ != nullptr && (ledger::find(id_) != ledger_ || ledger_->outermost().in_executable)) [[unlikely]] {
                detail::broken_rule(
                    "G10",
                    "the graph around this one is gone, or is inside of its executable, which what is added now would not reach",
                    where);
            }
        }
        if (ledger_ == nullptr) [[unlikely]] {
            detail::broken_rule(
                "G10", "this graph was moved away: its executable holds it, and what is added now would not reach it", where);
        }
        return ledger_->model;
    }

    // ---- adding nodes: the model says yes, the driver does it, the model remembers. Inlined by force, so that the
    // requests never become memory: unchecked, that is most of the cost.

    template <class Add>
    [[gnu::always_inline]] node add(const dependencies& deps, node_kind what, const char* name, std::span<const memory_use> uses,
                                    Add&& add_to_driver) {
        if constexpr (checks && !can.instantiable) {
            return add_inside(deps, what, name, uses, add_to_driver);
        } else if constexpr (checks) {
            if ((what == node_kind::memset || what == node_kind::memcpy) && ledger_ != nullptr && !ledger_->elsewhere.empty())
                [[unlikely]] {
                ledger_->refuse_unreachable(uses, device_.ordinal, deps.where());
            }
            const CUgraphNode handle = add_to_driver(model(deps.where()).check(deps, what, name, uses));
            return detail::handle_access::make_node(handle, id_, ledger_->model.commit(handle));
        } else {
            const detail::raw_dependencies raw(deps);
            return node(add_to_driver(raw.list()));
        }
    }

    /// What a node of a child or a body touches counts for the node that holds it, in the graphs around it (rule C9).
    template <class Add>
    node add_inside(const dependencies& deps, node_kind what, const char* name, std::span<const memory_use> uses,
                    Add&& add_to_driver) {
        recorder& own = model(deps.where());
        const auto handles = own.check(deps, what, name, uses);
        ledger_->check_around(
            uses, what == node_kind::memset || what == node_kind::memcpy, [&] { return detail::node_text(what, name); },
            deps.where());
        const CUgraphNode handle = add_to_driver(handles);
        ledger_->commit_around(uses, deps.where());
        return detail::handle_access::make_node(handle, id_, own.commit(handle));
    }

    [[gnu::always_inline]] alloc_result emit_alloc(const dependencies& deps, const alloc_request& request) {
        const device holder = request.options.has_device() ? request.options.where() : device_;
        const detail::device_info& info = holder == device_ ? *info_ : detail::info_of(holder, deps.where());
        if (request.bytes > info.total_bytes || !info.memory_pools) [[unlikely]] {
            detail::refuse_alloc(request.bytes, info, deps.where());
        }
        CUDA_MEM_ALLOC_NODE_PARAMS parameters{};
        parameters.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        parameters.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        parameters.poolProps.location.id = holder.ordinal;
        parameters.bytesize = request.bytes;
        if (request.options.peers() != 0) [[unlikely]] {
            return add_shared_alloc(deps, request, parameters);
        }
        return add_alloc_node(deps, request, parameters);
    }

    [[gnu::noinline]] alloc_result add_shared_alloc(const dependencies& deps, const alloc_request& request,
                                                    CUDA_MEM_ALLOC_NODE_PARAMS& parameters) {
        CUmemAccessDesc descriptors[detail::device_table::most]{};
        for (int ordinal = 0; ordinal < detail::device_table::most; ++ordinal) {
            if ((request.options.peers() >> static_cast<unsigned>(ordinal) & 1) != 0) {
                if (ordinal >= detail::devices(deps.where()).count) {
                    throw misuse("A9", "memory shared with device " + std::to_string(ordinal) +
                                           ", which does not exist\n  at         " + detail::line_text(deps.where()));
                }
                CUmemAccessDesc& each = descriptors[parameters.accessDescCount++];
                each.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
                each.location.id = ordinal;
                each.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
            }
        }
        parameters.accessDescs = descriptors;
        return add_alloc_node(deps, request, parameters);
    }

    [[gnu::always_inline]] alloc_result add_alloc_node(const dependencies& deps, const alloc_request& request,
                                                       CUDA_MEM_ALLOC_NODE_PARAMS& parameters) {
        if constexpr (checks) {
            const auto handles = model(deps.where()).check_alloc(deps, request, device_.ordinal);
            const bool elsewhere = parameters.poolProps.location.id != device_.ordinal;
            if (elsewhere) [[unlikely]] {
                ledger::make_room(ledger_->elsewhere, 1);
            }
            const CUgraphNode handle = driver::graph_add_mem_alloc_node(graph_, handles, parameters, deps.where());
            const std::uint32_t allocation = ledger_->model.allocation_count();
            if (elsewhere) [[unlikely]] {
                ledger_->elsewhere.push_back({allocation, request.options.peers()});
            }
            return {detail::handle_access::make_node(handle, id_, ledger_->model.commit(handle, parameters.dptr)),
                    parameters.dptr, allocation};
        } else {
            (void)request;
            const detail::raw_dependencies raw(deps);
            const CUgraphNode handle = driver::graph_add_mem_alloc_node(graph_, raw.list(), parameters, deps.where());
            return {node(handle), parameters.dptr, 0};
        }
    }

    [[gnu::always_inline]] node emit_free(const dependencies& deps, const free_request& request) {
        if constexpr (checks) {
            if (request.allocation.graph != id_) [[unlikely]] {
                return free_of_another(deps, request);
            }
            const CUgraphNode handle = driver::graph_add_mem_free_node(graph_, model(deps.where()).check_free(deps, request),
                                                                       request.address, deps.where());
            return detail::handle_access::make_node(handle, id_, ledger_->model.commit(handle));
        } else {
            const detail::raw_dependencies raw(deps);
            return node(driver::graph_add_mem_free_node(graph_, raw.list(), request.address, deps.where()));
        }
    }

    /// A free of another graph's allocation: that graph learns its fate, and both share the cell that says whether
    /// the memory is live (rules F3 to F5, X6).
    [[gnu::noinline]] node free_of_another(const dependencies& deps, const free_request& request) {
        recorder& own = model(deps.where());
        const std::uint32_t allocation = own.local_of(request.allocation);
        if (allocation != recorder::no_index) {  // a moved child left it to this graph (rule C15)
            const CUgraphNode handle = driver::graph_add_mem_free_node(
                graph_, own.check_free(deps, {request.alloc, {id_, allocation}, request.address}), request.address, deps.where());
            return detail::handle_access::make_node(handle, id_, own.commit(handle));
        }
        auto coming = ledger_->prepare_free(request.allocation, deps.where());
        const CUgraphNode handle =
            driver::graph_add_mem_free_node(graph_, own.check_free(deps, request), request.address, deps.where());
        const std::uint32_t index = own.commit(handle);
        ledger_->commit_free(std::move(coming));
        return detail::handle_access::make_node(handle, id_, index);
    }

    [[gnu::always_inline]] node emit_memset(const dependencies& deps, const memset_request& request) {
        const memory_use uses[1] = {request.use};
        return add(deps, node_kind::memset, nullptr, uses, [&](driver::node_list list) __attribute__((always_inline)) {
            CUDA_MEMSET_NODE_PARAMS parameters{};
            parameters.dst = request.address;
            parameters.elementSize = static_cast<unsigned>(request.element_bytes);
            parameters.width = request.count;
            parameters.height = 1;
            parameters.value = request.value;
            return driver::graph_add_memset_node(graph_, list, parameters, context_, deps.where());
        });
    }

    [[gnu::always_inline]] node emit_memcpy(const dependencies& deps, const memcpy_request& request) {
        const memory_use uses[2] = {request.to.use, request.from.use};
        return add(deps, node_kind::memcpy, nullptr, uses, [&](driver::node_list list) __attribute__((always_inline)) {
            CUDA_MEMCPY3D parameters{};
            if (request.from.on_device) {
                parameters.srcMemoryType = CU_MEMORYTYPE_DEVICE;
                parameters.srcDevice = request.from.address;
            } else {
                parameters.srcMemoryType = CU_MEMORYTYPE_HOST;
                parameters.srcHost = request.from.host;
            }
            if (request.to.on_device) {
                parameters.dstMemoryType = CU_MEMORYTYPE_DEVICE;
                parameters.dstDevice = request.to.address;
            } else {
                parameters.dstMemoryType = CU_MEMORYTYPE_HOST;
                parameters.dstHost = const_cast<void*>(request.to.host);  // the typed member took a range of non-const
            }
            parameters.WidthInBytes = request.bytes;
            parameters.Height = 1;
            parameters.Depth = 1;
            return driver::graph_add_memcpy_node(graph_, list, parameters, context_, deps.where());
        });
    }

    template <class... Params, class... Args>
    [[gnu::always_inline]] node emit_kernel(const dependencies& deps, std::span<const memory_use> uses,
                                            const kernel<void(Params...)>& function, const launch_config& config,
                                            const Args&... args) {
        const source_line where = deps.where();
        if (!function.has_function()) [[unlikely]] {
            detail::broken_rule("kernel", "a kernel without a function: it stands for one in the model alone", where);
        }
        const extent& cluster = config.cluster;
        if (config.has_cluster() && (cluster.y == 0 || cluster.z == 0 || config.grid.x % cluster.x != 0 ||
                                     config.grid.y % cluster.y != 0 || config.grid.z % cluster.z != 0)) [[unlikely]] {
            detail::broken_rule("grid", "the cluster does not divide the grid", where);
        }
        std::tuple<Params...> values{detail::to_parameter<Params>(args)...};
        const node made =
            add(deps, node_kind::kernel, function.name(), uses, [&](driver::node_list list) __attribute__((always_inline)) {
                void* pointers[sizeof...(Params) + 1] = {};
                std::apply(
                    [&](auto&... value) {
                        std::size_t i = 0;
                        ((pointers[i++] = const_cast<void*>(static_cast<const void*>(&value))), ...);
                    },
                    values);
                return driver::graph_add_kernel_node(graph_, list,
                                                     detail::kernel_parameters(function, config, context_, pointers), where);
            });
        if (config.has_cluster()) {
            set_cluster(made, cluster, where);
        }
        return made;
    }

    /// The driver takes a cluster only as an attribute of a node that is there. Should it refuse, the node goes
    /// again; a graph with memory nodes cannot lose it, and refuses to be instantiated instead.
    void set_cluster(const node& made, const extent& cluster, source_line where) {
        CUkernelNodeAttrValue value{};
        value.clusterDim.x = cluster.x;
        value.clusterDim.y = cluster.y;
        value.clusterDim.z = cluster.z;
        try {
            driver::graph_kernel_node_set_attribute(made.get(), CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, value, where);
        } catch (const driver_error&) {
            if constexpr (can.removal) {
                destroy_node(made);
            } else if constexpr (can.instantiable) {
                unfinished_ = true;
            } else if constexpr (checks) {
                ledger_->outermost().unfinished = true;
            }
            throw;
        }
    }

    template <class F>
    node emit_host(const dependencies& deps, std::span<const memory_use> uses, F&& function) {
        return add(deps, node_kind::host, nullptr, uses, [&](driver::node_list list) __attribute__((always_inline)) {
            detail::host_function<std::decay_t<F>> owned(graph_, static_cast<F&&>(function), deps.where());
            const CUgraphNode made = driver::graph_add_host_node(graph_, list, owned.parameters(), deps.where());
            owned.keep();
            return made;
        });
    }

    template <class F, checking Same = Checks>
    node emit_captured(const dependencies& deps, std::span<const memory_use> uses, F& work) {
        return detail::capturing<Kind, Same>::add(*this, deps, uses, work);
    }

    [[gnu::always_inline]] node emit_empty(const dependencies& deps) {
        return add(deps, node_kind::empty, nullptr, {}, [&](driver::node_list list) __attribute__((always_inline)) {
            return driver::graph_add_empty_node(graph_, list, deps.where());
        });
    }

    void check_edge([[maybe_unused]] const node& from, [[maybe_unused]] const node& to, [[maybe_unused]] source_line where) {
        if constexpr (checks) {
            model(where).check_dependency(from, to, where);
        }
    }
    void emit_dependency(const node& from, const node& to, source_line where) {
        check_edge(from, to, where);
        driver::graph_add_dependency(graph_, from.get(), to.get(), where);
        if constexpr (checks) {
            ledger_->model.commit_dependency();
        }
    }

    // ---- instantiating

    void refuse_if_broken(source_line where) const {
        if constexpr (checks) {
            if (ledger_ != nullptr && ledger_->open_conditions != 0) [[unlikely]] {
                detail::broken_rule("condition",
                                    "a condition was made that no conditional node uses: the driver refuses such a graph", where);
            }
        }
        const std::string* why = &broken_;
        if constexpr (checks) {
            why = ledger_ != nullptr && why->empty() ? &ledger_->broken : why;
        }
        if (!why->empty()) [[unlikely]] {
            throw misuse("C13", "this graph cannot be instantiated: " + *why + "\n  at         " + detail::line_text(where) +
                                    "\n  fix: build the graph again");
        }
    }
    /// A graph that holds a conditional has one executable at a time (rule C18): what says whether it lives.
    [[nodiscard]] detail::allocation_cell only_executable(source_line where) const {
        model(where);
        if (!ledger_->holds_conditional) {
            return {};
        }
        if (ledger_->one_executable.live()) {
            detail::broken_rule("C18", "a graph that holds a conditional node has one executable at a time, and it lives", where);
        }
        return ledger_->one_executable = detail::allocation_cell::make();
    }

    template <class Fates>
    graph_exec<Kind, Checks, Fates> take_over(CUDA_GRAPH_INSTANTIATE_PARAMS& parameters, Fates& fates, source_line where) {
        refuse_if_broken(where);
        if (unfinished_ || (checks && ledger_ != nullptr && ledger_->unfinished)) {
            detail::broken_rule("grid", "a kernel node of this graph did not get its cluster: build the graph again", where);
        }
        if constexpr (!checks) {
            const CUgraphExec exec = driver::graph_instantiate_with_params(graph_, parameters, where);
            return graph_exec<Kind, Checks, Fates>(exec, std::move(*this), std::move(fates));
        } else {
            recorder& own = model(where);
            detail::lazy<std::vector<std::uint32_t>, basic_graph> taken;
            detail::each_token(fates, [&](const auto& token) {
                if (token.spent()) {
                    detail::broken_rule("F9", "an output that was moved away or is freed already: its token is spent", where);
                }
                const std::uint32_t allocation = own.local_of(token.allocation());
                if (allocation == recorder::no_index) {
                    detail::broken_rule("F3", "an output of another graph: only the graph that made an allocation can launch it",
                                        where);
                }
                ledger::refuse_if_freed(own, allocation, where);
                taken.push_back(allocation);
            });
            own.require_fates(taken, where);
            auto borrows = ledger_->find_borrows();
            detail::lazy<std::vector<detail::allocation_cell>, basic_graph> cells;
            cells.reserve(taken.size());
            for (const std::uint32_t allocation : taken) {
                cells.push_back(ledger_->prepare_export(allocation, taken.size()));
            }
            const CUgraphExec exec = driver::graph_instantiate_with_params(graph_, parameters, where);
            for (std::size_t i = 0; i < taken.size(); ++i) {
                ledger_->commit_export(taken[i], cells[i]);
                own.set_fate(taken[i], detail::auto_frees<Fates>() ? allocation_fate::auto_freed : allocation_fate::output);
            }
            ledger_->borrows = std::move(borrows);
            ledger_->in_executable = true;
            return graph_exec<Kind, Checks, Fates>(exec, std::move(*this), std::move(fates));
        }
    }

    CUgraph graph_ = nullptr;
    CUcontext context_ = nullptr;
    const detail::device_info* info_ = nullptr;
    device device_{};
    std::uint32_t id_ = 0;
    bool unfinished_ = false;
    std::string broken_;        // why it cannot be instantiated any more, where a capture broke it
    ledger* ledger_ = nullptr;  // null without checks
};

/// A graph without memory nodes: it can be cloned, lose nodes and edges, and have many executables.
using graph = basic_graph<graph_kind::plain>;
/// A graph that owns memory: allocation and free nodes, one executable at a time (rules G1 to G10).
using memory_graph = basic_graph<graph_kind::memory>;
/// A graph without memory nodes that checks nothing at run time: its members are the raw calls. What types see still does
/// not compile.
using unchecked_graph = basic_graph<graph_kind::plain, checking::off>;
/// A graph that owns memory and checks nothing at run time: its members are the raw calls. What types see still does not
/// compile.
using unchecked_memory_graph = basic_graph<graph_kind::memory, checking::off>;

}  // namespace v0
}  // namespace allograph
