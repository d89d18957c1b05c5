#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <allograph/detail/take.hpp>
#include <allograph/driver/exec_calls.hpp>
#include <allograph/graph/basic_graph.hpp>
#include <allograph/graph/detail/exec_updates.hpp>
#include <allograph/graph/detail/memory_guard.hpp>
#include <allograph/graph/stream_buffer.hpp>

namespace allograph {
inline namespace v0 {

struct because_releasing_the_graph_ends_the_executable_write_std_move {};
struct because_an_executable_of_a_plain_graph_does_not_hold_it {};
struct because_an_executable_is_not_copied_write_std_move {};
struct because_the_executable_would_not_see_them_add_nodes_before_instantiate {};
struct because_a_launch_runs_on_a_stream_name_it {};

/// An executable graph. One of a memory graph holds its graph, since there may be one at a time (rule G5); those of
/// a plain graph are independent of it.
///
/// Not thread-safe, like the driver's graph objects (rule X11). The stream of the last launch must outlive it where
/// it auto-frees.
template <graph_kind Kind, checking Checks, class Fates = no_fates>
class graph_exec : public detail::exec_updates<graph_exec<Kind, Checks, Fates>, Kind, Checks> {
    static constexpr bool holds_graph = !capabilities_of(Kind).many_executables;
    static constexpr bool checks = Checks == checking::on;
    static constexpr bool auto_frees = detail::auto_frees<Fates>();
    using held_graph = std::conditional_t<holds_graph, basic_graph<Kind, Checks>, detail::independent>;

public:
    graph_exec(graph_exec&& other) noexcept
        : exec_(detail::take(other.exec_)), last_stream_(other.last_stream_), launched_(detail::take(other.launched_)),
          memory_epoch_(other.memory_epoch_), graph_(std::move(other.graph_)), fates_(std::move(other.fates_)) {}
    graph_exec& operator=(graph_exec&& other) noexcept {
        if (this != &other) {
            destroy();
            exec_ = detail::take(other.exec_);
            last_stream_ = other.last_stream_;
            launched_ = detail::take(other.launched_);
            memory_epoch_ = other.memory_epoch_;
            graph_ = std::move(other.graph_);
            replace_fates(std::move(other.fates_));
        }
        return *this;
    }
    graph_exec(const graph_exec&, because_an_executable_is_not_copied_write_std_move = {}) = delete;
    ~graph_exec() { destroy(); }

    /// Takes an executable of the driver over that holds no memory nodes. @param where_it_runs  for updates of its nodes
    [[nodiscard]] static graph_exec adopt(CUgraphExec raw, device where_it_runs = device{0}, const char* file = __builtin_FILE(),
                                          unsigned line = __builtin_LINE())
        requires(!holds_graph)
    {
        return graph_exec(raw, detail::independent{{}, detail::context_for(where_it_runs, {file, line}), 0, {}}, {});
    }
    /// Gives the driver's executable to the caller, who destroys it.
    [[nodiscard]] CUgraphExec release() && noexcept
        requires(!holds_graph)
    {
        return detail::take(exec_);
    }

    /// The driver's handle; the executable keeps it.
    [[nodiscard]] CUgraphExec get() const noexcept { return exec_; }

    /// Runs the graph in the order of the stream; returns before it ran.
    /// @return nothing, or what `outputs` and `auto_free` asked for: a tuple (vector for a container) of
    ///         `stream_buffer`s that the caller owns, or of spans that are valid until the next launch
    /// @throws misuse [X1] [X7] while an output of an earlier launch lives, [X6] when an allocation of another graph that
    ///         this one frees or uses is not live; out_of_memory; driver_error. Nothing is launched then
    /// Driver: cuGraphLaunch
    auto launch(stream_ref stream, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        if constexpr (checks) {
            if (exec_ == nullptr) [[unlikely]] {
                detail::broken_rule("moved", "this executable was moved away", where);
            }
        }
        if constexpr (checks && holds_graph) {
            reclaim(stream.get());
            require_launchable(where);
        } else if constexpr (checks) {
            detail::lazy<detail::ledger, graph_exec>::require_live(graph_.borrows, where);
        }
        if constexpr (checks && holds_graph) {
            require_memory(stream.get(), where);
        }
        auto room = room_for_results();  // before the launch: after it nothing may fail
        driver::graph_launch(exec_, stream.get(), where);
        last_stream_ = stream.get();
        launched_ = true;
        if constexpr (checks && holds_graph) {
            for (const auto& each : graph_.books().exports()) {
                if (graph_.books().model.fate_of(each.allocation) !=
                    allocation_fate::freed) {  // else an output of an earlier executable
                    each.cell.set_live(true);
                }
            }
            for (const auto& each : graph_.books().frees) {
                each.cell.set_live(false);
            }
        }
        return results(std::move(room));
    }
    template <class Reason = because_a_launch_runs_on_a_stream_name_it>
    void launch() = delete;

    /// Physical memory that launches of this executable take, in whole chunks, known before the first (rule M3).
    [[nodiscard]] memory_footprint footprint(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) const
        requires(holds_graph)
    {
        return graph_.footprint(file, line);
    }

    /// Maps the memory and readies the graph for its first launch, in the order of the stream (rules M1, X12).
    /// Driver: cuGraphUpload
    void upload(stream_ref stream, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        if constexpr (checks && holds_graph) {
            require_memory(stream.get(), where);
        }
        driver::graph_upload(exec_, stream.get(), where);
    }

    /// Destroys the executable and hands the graph back; with outputs a tuple of the graph and their tokens, which
    /// need a fate again. Memory of the last launch stays with its owners.
    /// @throws driver_error, the executable is still whole
    /// Driver: cuGraphExecDestroy
    auto release_graph(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) &&
        requires holds_graph
    {
        driver::check(cuGraphExecDestroy(exec_), "cuGraphExecDestroy", {file, line}, {{"exec", exec_}});
        exec_ = nullptr;
        free_last();
        reclaim(last_stream_);
        if constexpr (checks) {
            auto& model = graph_.books().model;
            detail::each_token(
                fates_, [&](const auto& token) { model.set_fate(model.local_of(token.allocation()), allocation_fate::none); });
            graph_.books().in_executable = false;
        }
        if constexpr (detail::is_fates<Fates>) {
            return std::tuple_cat(std::tuple<held_graph>(std::move(graph_)), tokens_as_tuple());
        } else {
            return std::move(graph_);
        }
    }
    template <class Reason = because_releasing_the_graph_ends_the_executable_write_std_move>
        requires holds_graph
    void release_graph() & = delete;
    template <class Reason = because_an_executable_of_a_plain_graph_does_not_hold_it>
        requires(!holds_graph)
    void release_graph() = delete;

    // rule G10
    template <class T, class... Args, class Reason = because_the_executable_would_not_see_them_add_nodes_before_instantiate>
    void add_alloc(const Args&...) = delete;
    template <class... Args, class Reason = because_the_executable_would_not_see_them_add_nodes_before_instantiate>
    void add_free(const Args&...) = delete;
    template <class... Args, class Reason = because_the_executable_would_not_see_them_add_nodes_before_instantiate>
    void add_memset(const Args&...) = delete;
    template <class... Args, class Reason = because_the_executable_would_not_see_them_add_nodes_before_instantiate>
    void add_memcpy(const Args&...) = delete;
    template <class... Args, class Reason = because_the_executable_would_not_see_them_add_nodes_before_instantiate>
    void add_kernel(const Args&...) = delete;
    template <class... Args, class Reason = because_the_executable_would_not_see_them_add_nodes_before_instantiate>
    void add_host(const Args&...) = delete;
    template <class... Args, class Reason = because_the_executable_would_not_see_them_add_nodes_before_instantiate>
    void add_empty(const Args&...) = delete;
    template <class... Args, class Reason = because_the_executable_would_not_see_them_add_nodes_before_instantiate>
    void add_dependency(const Args&...) = delete;

private:
    template <graph_kind, checking>
    friend class basic_graph;
    template <class, graph_kind, checking>
    friend class detail::exec_updates;

    graph_exec(CUgraphExec exec, held_graph&& held, Fates&& fates) noexcept
        : exec_(exec), graph_(std::move(held)), fates_(std::move(fates)) {}

    void require_launchable(source_line where) const {
        if (!auto_frees || !launched_) {  // auto-free ends what its own launches left, not the buffers of an earlier executable
            for (const auto& each : graph_.books().exports()) {
                if (each.cell.live()) [[unlikely]] {
                    refuse_relaunch(where);
                }
            }
        }
        detail::lazy<detail::ledger, graph_exec>::require_live(graph_.books().borrows, where);
        for (const auto& each : graph_.books().frees) {
            if (each.cell.gone()) [[unlikely]] {
                throw misuse(
                    "X6",
                    "this graph frees " + each.what +
                        ", which is not live: launch the graph that allocates it first, once for each launch of this one\n" +
                        "  freed      " + detail::line_text(each.freed) + "\n  launched   " + detail::line_text(where));
            }
        }
    }

    /// Compares with what the devices can give, at the first launch and when memory may have gone since (rule M2).
    void require_memory(CUstream stream, source_line where) {
        const std::uint32_t now = detail::memory_epoch().load();
        if (memory_epoch_ != now) [[unlikely]] {
            detail::require_room(detail::family_footprint(graph_.books(), where), stream, where);
            memory_epoch_ = now;
        }
    }

    [[noreturn]] void refuse_relaunch(source_line where) const {
        const auto& books = graph_.books();
        std::string text = launched_ ? "relaunched while outputs of the last launch live"
                                     : "launched while an earlier executable's outputs live";
        for (const auto& each : books.exports()) {
            if (each.cell.live()) {
                text += "\n  alive      " + books.model.describe(each.allocation) + ", allocated " +
                        detail::line_text(books.model.allocated_at(each.allocation));
            }
        }
        text += "\n  launched   " + detail::line_text(where) +
                "\n  fix: let the buffers die before the next launch, launch the graph that frees them, or instantiate with "
                "auto_free";
        throw misuse(launched_ ? "X1" : "X7", text);
    }

    template <class T, checking C>
    detail::allocation_cell cell_of(const alloc_node<T, C>& token) const noexcept {
        if constexpr (checks) {
            if (const detail::allocation_cell* const cell =
                    graph_.books().export_of(graph_.books().model.local_of(token.allocation()))) {
                return *cell;
            }
        }
        return {};
    }

    template <class T, checking C>
    stream_buffer<T> buffer_of(const alloc_node<T, C>& token) const {
        return detail::handle_access::make<stream_buffer<T>>(token.span(), last_stream_, cell_of(token));
    }

    template <class T, checking C>
    auto result_of(const alloc_node<T, C>& token) const {
        if constexpr (auto_frees) {
            return token.span();
        } else {
            return buffer_of(token);
        }
    }

    auto room_for_results() {
        if constexpr (detail::is_fate_vector<Fates>) {
            std::vector<decltype(result_of(fates_.tokens().front()))> room;
            room.reserve(fates_.tokens().size());
            return room;
        } else {
            return detail::no_option{};
        }
    }

    auto results([[maybe_unused]] auto room) {
        if constexpr (detail::is_fate_vector<Fates>) {
            for (const auto& token : fates_.tokens()) {
                room.push_back(result_of(token));
            }
            return room;
        } else if constexpr (detail::is_fates<Fates>) {
            return std::apply([&](const auto&... token) { return std::tuple(result_of(token)...); }, fates_.tokens());
        }
    }

    auto tokens_as_tuple() {
        if constexpr (detail::is_fate_vector<Fates>) {
            return std::make_tuple(std::move(fates_.tokens()));
        } else {
            return std::move(fates_.tokens());
        }
    }

    /// Auto-free frees at the next launch; after the last one nobody would (rule X3).
    void free_last() noexcept {
        if constexpr (auto_frees) {
            if (detail::take(launched_)) {
                detail::each_token(fates_, [&](const auto& token) {
                    cell_of(token).set_live(false);
                    detail::free_or_orphan(token.span().data().address(), token.size_bytes(), last_stream_);
                });
            }
        }
    }

    /// What another graph was to free, which died before its launch: the memory is this executable's to free again.
    void reclaim([[maybe_unused]] CUstream stream) noexcept {
        if constexpr (checks && holds_graph) {
            for (const auto& each : graph_.books().exports()) {
                if (each.cell.abandoned() && each.cell.live()) [[unlikely]] {
                    const auto& model = graph_.books().model;
                    each.cell.set_live(false);
                    detail::free_or_orphan(model.address_of(each.allocation), model.bytes_of(each.allocation),
                                           launched_ ? last_stream_ : stream);
                }
            }
        }
    }

    void destroy() noexcept {
        if (exec_ != nullptr) {
            free_last();
            reclaim(last_stream_);
            detail::destroy_or_wait(detail::take(exec_));
            if constexpr (!holds_graph) {
                graph_.only.set_live(false);
            }
        }
    }

    void replace_fates(Fates&& next) noexcept {
        fates_.~Fates();
        ::new (static_cast<void*>(&fates_)) Fates(std::move(next));  // tokens cannot be assigned: a live one would be lost
    }

    CUgraphExec exec_;
    CUstream last_stream_ = nullptr;
    bool launched_ = false;
    std::uint32_t memory_epoch_ = 0;  // when the memory was last known to be there
    held_graph graph_;
    Fates fates_;
};

}  // namespace v0
}  // namespace allograph
