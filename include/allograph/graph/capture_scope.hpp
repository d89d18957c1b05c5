#pragma once

#include <exception>
#include <new>
#include <utility>
#include <vector>

#include <allograph/driver/capture_calls.hpp>
#include <allograph/graph/basic_graph.hpp>
#include <allograph/graph/capture_mode.hpp>
#include <allograph/graph/capture_result.hpp>
#include <allograph/graph/captured.hpp>
#include <allograph/graph/orphan.hpp>

namespace allograph {
inline namespace v0 {

template <graph_kind Kind, checking Checks>
struct capture_result;

struct because_only_capture_of_a_graph_opens_a_capture_scope {};
struct because_a_capture_ends_once_write_std_move {};
struct because_a_capture_into_the_graph_is_open_end_it_first {};

/// A capture of a stream into a graph, for library calls that only know streams. From its begin to its end the graph is
/// in here, so that nobody instantiates it or adds nodes by hand (rule C20).
///
///     auto scope = std::move(g).capture(stream, ag::after(x));
///     cublasSgemm(handle, ...);
///     auto [graph, captured] = std::move(scope).end();
///     graph.add_free(captured.after(), std::move(x));
///
/// Work on the stream becomes nodes and does not run; further streams join by events, and must be joined back. Destructors
/// of stream buffers and executables on this thread wait for the end: they would break the capture. A scope that dies
/// without `end` ends the capture and destroys its graph. The stream must outlive the scope. Not thread-safe; it ends on the
/// thread that opened it, unless the mode is `unguarded`.
template <graph_kind Kind, checking Checks>
class [[nodiscard("a capture that dies at once destroys its graph")]] capture_scope {
    using graph_type = basic_graph<Kind, Checks>;
    static constexpr bool checks = Checks == checking::on;

public:
    capture_scope(const capture_scope&, because_only_capture_of_a_graph_opens_a_capture_scope = {}) = delete;
    capture_scope& operator=(const capture_scope&) = delete;
    ~capture_scope() {
        if (open_) {
            CUgraph same = nullptr;
            close(cuStreamEndCapture(stream_, &same));
        }
        if (graph_.get() != nullptr) {
            break_around("a capture into a graph inside of it was given up");
        }
    }

    /// The stream that captures: what library calls are given.
    [[nodiscard]] CUstream stream() const noexcept { return stream_; }

    /// Asks whether the capture is still whole. A few of these narrow down which call broke it: the message names the line
    /// where it was last seen whole. @throws driver_error [C13] when it is broken
    /// Driver: cuStreamIsCapturing
    void check(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
        const source_line where{file, line};
        const CUstreamCaptureStatus status = driver::stream_is_capturing(stream_, where);
        if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
            fail(status == CU_STREAM_CAPTURE_STATUS_NONE ? CUDA_ERROR_ILLEGAL_STATE : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                 "cuStreamIsCapturing", where);
        }
        whole_ = where;
    }

    /// Ends the capture and gives the graph back, with what was captured. With checks, every new node is read back,
    /// entered into the graph's model and checked like one that was added by hand; an address among a kernel's arguments
    /// counts as a write there. A token whose allocation was freed inside is spent in all but name: using it is refused.
    /// @return the graph and what the capture left in it
    /// @throws driver_error [C13] for a broken capture: the driver destroys its graph. A graph around that one cannot be
    ///         instantiated then, and is leaked, since the driver crashes when it destroys it: capture into a graph of its own
    ///         and add that as a child where a capture may break. Any other driver_error changes nothing
    ///         that counts: `end` may be called again. misuse [O1] [O2] [O3] [O4] [F1], and [kind] for allocations in a plain
    ///         graph: the scope keeps the graph, which cannot lose the nodes again and refuses to be instantiated, see
    ///         `broken_graph`
    /// Driver: cuStreamGetCaptureInfo_v3, cuStreamEndCapture
    [[nodiscard]] capture_result<Kind, Checks> end(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) && {
        return finish({}, {file, line});
    }
    template <class Reason = because_a_capture_ends_once_write_std_move>
    void end() & = delete;

    /// The graph of a capture whose `end` threw, to look at: it refuses to be instantiated, and says why.
    [[nodiscard]] graph_type broken_graph(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) && {
        if (open_ || graph_.get() == nullptr) {
            detail::broken_rule("moved", "this capture has no graph to give: it is open, or its graph is gone", {file, line});
        }
        if (graph_.broken_.empty()) {
            graph_.broken_ = "what was captured was never entered";
        }
        return std::move(graph_);
    }

    // rule C20
    template <class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void instantiate(const Args&...) const = delete;
    template <class T, class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void add_alloc(const Args&...) = delete;
    template <class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void add_free(const Args&...) = delete;
    template <class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void add_memset(const Args&...) = delete;
    template <class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void add_memcpy(const Args&...) = delete;
    template <class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void add_kernel(const Args&...) = delete;
    template <class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void add_host(const Args&...) = delete;
    template <class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void add_empty(const Args&...) = delete;
    template <class... Args, class Reason = because_a_capture_into_the_graph_is_open_end_it_first>
    void add_dependency(const Args&...) = delete;

private:
    template <graph_kind, checking>
    friend class basic_graph;
    template <graph_kind, checking>
    friend struct detail::capturing;

    /// Takes the graph only once the capture has begun: a begin that fails leaves it where it was.
    capture_scope(graph_type& from, CUstream stream, const dependencies& deps, capture_mode mode)
        : capture_scope((refuse_inferred(deps), from), stream, deps, mode, {}) {}
    /// @param declared  uses of the work that is going to be captured
    capture_scope(graph_type& from, CUstream stream, const dependencies& deps, capture_mode mode,
                  std::span<const memory_use> declared)
        : stream_(stream), began_(deps.where()), whole_(deps.where()),
          graph_((begin(from, stream, deps, mode, declared), std::move(from))) {}

    static void refuse_inferred(const dependencies& deps) {
        if (deps.inferred()) {
            detail::broken_rule("inferred", "a capture cannot infer what it comes after: nothing is captured yet", deps.where());
        }
    }
    static void begin(graph_type& into, CUstream stream, const dependencies& deps, capture_mode mode,
                      std::span<const memory_use> declared) {
        const auto driver_mode = static_cast<CUstreamCaptureMode>(mode);
        if constexpr (checks) {
            const auto handles = into.model(deps.where()).check(deps, node_kind::captured, nullptr, declared);
            driver::stream_begin_capture_to_graph(stream, into.get(), handles, driver_mode, deps.where());
        } else {
            const detail::raw_dependencies raw(deps);
            driver::stream_begin_capture_to_graph(stream, into.get(), raw.list(), driver_mode, deps.where());
        }
    }

    void end_on_the_stream(source_line where) {
        last_.clear();
        if (const driver::capture_info info = driver::stream_get_capture_info(stream_, where);
            info.status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
            last_.assign(info.dependencies.begin(), info.dependencies.end());
        }
        CUgraph same = nullptr;
        const CUresult result = cuStreamEndCapture(stream_, &same);
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
        if (result != CUDA_SUCCESS && cuStreamIsCapturing(stream_, &status) == CUDA_SUCCESS &&
            status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
            fail_for_now(result, "cuStreamEndCapture", where);
        }
        close(result);
        if (result != CUDA_SUCCESS) {
            fail(result, "cuStreamEndCapture", where);
        }
    }

    /// A capture that did not end well took its graph along: the driver destroys it, also when the thread is the wrong one.
    /// One that somebody else had ended leaves it in doubtful hands.
    void close(CUresult ended) noexcept {
        open_ = false;
        if (ended != CUDA_SUCCESS) {
            break_around("a capture into a graph inside of it did not end well", true);
            graph_.graph_ = nullptr;
            const graph_type gone(std::move(graph_));  // nobody finds its model any more
        }
        waiting_.close([](const detail::capture_waiting::item& each) noexcept {
            if (each.exec != nullptr) {
                detail::destroy_or_wait(each.exec);
            } else {
                detail::free_or_orphan(each.address, each.bytes, each.stream);
            }
        });
    }

    [[noreturn, gnu::cold, gnu::noinline]] void fail(CUresult result, const char* call, source_line where) const {
        std::string text = "the capture that began at " + detail::line_text(began_);
        if (result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED) {
            text += " has streams that joined it and were not joined back: let the captured stream wait for an event of each";
        } else if (result == CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) {
            text += " must end on the thread that began it, unless its mode is unguarded";
        } else if (result == CUDA_ERROR_ILLEGAL_STATE) {
            text += " was ended by somebody else";
        } else {
            text += " was broken by a call after " + detail::line_text(whole_) +
                    ", where it was whole. Look for a call that returned CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED or another "
                    "capture error: "
                    "cuMemAlloc, cuMemFree, a synchronisation or query, an executable that is made or destroyed, work on the "
                    "legacy stream; "
                    "check() between the calls narrows it down";
        }
        throw driver_error(result, call, text, where);
    }

    /// @param declared  uses of the captured work that its nodes do not show
    capture_result<Kind, Checks> finish(std::span<const memory_use> declared, source_line where) {
        if (open_) {
            end_on_the_stream(where);
        } else if (graph_.get() == nullptr || !graph_.broken_.empty()) {
            detail::broken_rule("moved", "this capture has ended already", where);
        }
        if constexpr (checks) {
            return checked_result(declared, where);
        } else {
            captured<Checks> work(graph_.get(), graph_.id_, nodes_of(last_));  // before the graph is moved
            return {std::move(graph_), std::move(work)};
        }
    }

    /// What is inside of a graph that is not to run is not to run either.
    /// @param lost  the driver destroyed what is inside, and crashes on the graph around it (H200, driver 13.0): it is left alone
    void break_around(const char* why, bool lost = false) noexcept {
        if constexpr (checks && !graph_type::can.instantiable) {
            detail::ledger* const mine = detail::ledger::find(graph_.id_);
            if (mine == nullptr) {
                return;
            }
            mine->outermost().lost |= lost;
            if (!mine->outermost().broken.empty()) {
                return;
            }
            try {
                mine->outermost().broken = why;
            } catch (const std::bad_alloc&) {
                mine->outermost().unfinished = true;
            }
        }
    }

    /// The driver failed, and nothing is lost.
    [[noreturn, gnu::cold, gnu::noinline]] void fail_for_now(CUresult result, const char* call, source_line where) const {
        throw driver_error(result, call,
                           "the capture that began at " + detail::line_text(began_) +
                               (open_ ? " is open still" : " has ended, and its nodes were not read") +
                               ": end() may be called again",
                           where);
    }

    capture_result<Kind, Checks> checked_result(std::span<const memory_use> declared, source_line where) {
        detail::captured_nodes<detail::ledger> found(*graph_.ledger_, began_);
        try {
            if (last_.size() == 1) {
                found.declare(last_.front(), declared);
            }
            found.enter(graph_.get());
            if (found.has_memory_nodes && !graph_type::can.memory_nodes) {
                found.findings.insert(
                    found.findings.begin(),
                    {"kind", "cuMemAllocAsync or cuMemFreeAsync was captured, and this kind of graph cannot hold memory nodes",
                     began_});
            }
            if (!found.findings.empty()) {
                refuse(found.findings);
            }
            captured<Checks> work(graph_.get(), graph_.id_, nodes_of(last_));
            work.nodes_ = std::move(found.nodes);
            work.allocations_ = std::move(found.allocations);
            work.frees_ = std::move(found.frees);
            work.fully_read_ = found.complete;
            work.declared_ = found.declared;
            return {std::move(graph_), std::move(work)};
        } catch (const driver_error& trouble) {  // nothing is entered before everything is read
            fail_for_now(trouble.result(), trouble.call(), where);
        } catch (const std::exception& trouble) {
            break_around("what was captured into a graph inside of it breaks a rule, or could not be entered");
            if (graph_.broken_.empty()) {
                graph_.broken_ = "what was captured at " + detail::line_text(began_) + " could not be entered: " + trouble.what();
            }
            throw;
        }
    }

    /// One misuse for all that is wrong: the first in full, of the others the first line.
    [[noreturn, gnu::cold, gnu::noinline]] void refuse(const std::vector<finding>& findings) {
        constexpr std::size_t most = 8;
        std::string text = body_of(findings.front());
        const std::string headline = text.substr(0, text.find('\n'));
        for (std::size_t i = 1; i < findings.size() && i < most; ++i) {
            const std::string other = body_of(findings[i]);
            text += std::string("\n  also: [") + findings[i].rule + "] " + other.substr(0, other.find('\n'));
        }
        if (findings.size() > most) {
            text += "\n  and " + std::to_string(findings.size() - most) + " more";
        }
        text +=
            "\n  captured   " + detail::line_text(began_) +
            "   captured nodes stay in their graph: it cannot be instantiated any more\n  fix: " + fix_of(findings.front().rule);
        graph_.broken_ = "its capture at " + detail::line_text(began_) + " broke rule " + findings.front().rule + ": " + headline;
        throw misuse(findings.front().rule, text);
    }
    /// Without the rule in front, and without the fix, which is another one for captured work.
    static std::string body_of(const finding& each) {
        const std::size_t rule = each.text.find("] ");
        const std::size_t begin = each.text.compare(0, 11, "allograph: ") == 0 && rule != std::string::npos ? rule + 2 : 0;
        return each.text.substr(begin, each.text.rfind("\n  fix: ") - begin);
    }
    static const char* fix_of(const std::string& rule) {
        if (rule == "O1") {
            return "begin the capture after the allocation: capture(stream, ag::after(x))";
        }
        if (rule == "O2") {
            return "capture the work before the memory is freed, or allocate again";
        }
        if (rule == "kind") {
            return "capture into a memory_graph";
        }
        return "begin the capture after the nodes that the free must follow, or add the free after the capture: "
               "add_free(captured.after(), std::move(x))";
    }

    std::vector<node> nodes_of(const std::vector<CUgraphNode>& handles) {
        std::vector<node> nodes;
        nodes.reserve(handles.size());
        for (const CUgraphNode each : handles) {
            std::uint32_t index = 0;
            if constexpr (checks) {
                index = graph_.ledger_->model.index_of(each);
            }
            nodes.push_back(detail::handle_access::make_node(each, graph_.id_, index));
        }
        return nodes;
    }

    CUstream stream_;
    source_line began_;
    source_line whole_;  // the last line where the capture was seen whole
    graph_type graph_;
    detail::capture_waiting waiting_;
    std::vector<CUgraphNode> last_;  // what the stream's next work would come after
    bool open_ = true;
};

}  // namespace v0
}  // namespace allograph
