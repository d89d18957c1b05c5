#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <allograph/model/dependencies.hpp>
#include <allograph/model/detail/allocation_record.hpp>
#include <allograph/model/detail/growing.hpp>
#include <allograph/model/detail/handle_index.hpp>
#include <allograph/model/detail/message.hpp>
#include <allograph/model/detail/reachability.hpp>
#include <allograph/model/detail/recorder_storage.hpp>
#include <allograph/model/finding.hpp>
#include <allograph/model/requests.hpp>

namespace allograph {
inline namespace v0 {

template <class>
class basic_recorder;
/// The model of one graph while it is built: the one instance of `basic_recorder`.
using recorder = basic_recorder<void>;

/// The model of one graph while it is built: nodes, edges, allocations and their uses.
///
/// A graph asks before it calls the driver (`check...`, which throws `misuse` and changes nothing) and tells what
/// the driver agreed to (`commit...`, which cannot fail). Between the two, the handles that `check` returned are
/// valid, and what it found is pending; another `check` drops it.
///
/// Nodes are known by index: 0, 1, 2... in order of adding; so are allocations.
///
/// A template, so that a file that includes it and builds no checked graph pays for its text alone: `recorder` is the
/// one instance.
template <class Lazy>
class basic_recorder : private detail::basic_recorder_storage<Lazy> {
    using storage = detail::basic_recorder_storage<Lazy>;
    using storage::order_, storage::nodes_, storage::allocations_, storage::extents_, storage::uses_, storage::pending_,
        storage::handles_;
    using storage::use_count_, storage::allocation_count_, storage::files_, storage::types_, storage::names_;
    using string = detail::lazy<std::string, Lazy>;
    template <class T>
    using vector = detail::lazy<std::vector<T>, Lazy>;

public:
    /// @param graph_id  what nodes of this graph carry, not 0
    explicit basic_recorder(std::uint32_t graph_id) : storage(storage::take()), id_(graph_id), trusted_(graph_id) {}
    basic_recorder(basic_recorder&&) noexcept = default;
    basic_recorder& operator=(basic_recorder&&) noexcept = default;
    ~basic_recorder() { storage::give(*this); }

    /// What nodes of this graph carry.
    [[nodiscard]] std::uint32_t graph_id() const noexcept { return id_; }

    /// Checks a node that is no alloc or free. @param name  of a kernel, may be null; outlives the graph
    /// @return the handles of the dependencies, the inferred ones included
    /// @throws misuse [D2] [D3] [D4] [F9] [O1] [O2], [O6] if asked
    std::span<CUgraphNode_st* const> check(const dependencies& deps, node_kind kind, const char* name,
                                           std::span<const memory_use> uses) {
        for (const memory_use& use : uses) {
            __builtin_prefetch(allocations_.data() + use.allocation.index);  // while the dependencies are looked at
        }
        freeing_ = 0;
        resolve(deps, kind, name);
        if (uses.size() > most_uses) [[unlikely]] {
            pending_.reserve(uses.size());
        }
        uses_.reserve(use_count_ + uses.size());
        for (const memory_use& use : uses) {
            if (use.allocation.graph == id_) {
                check_use(use);
            } else if (use.allocation.graph != 0) [[unlikely]] {
                check_outside_use(use);
            }
        }
        if (inferring_) [[unlikely]] {
            infer();
        }
        return {handles_.data(), degree_};
    }

    /// @param own_device  the ordinal of the graph's own device, for requests that name none
    /// @throws misuse [D2] [D3] [D4] [F9]
    std::span<CUgraphNode_st* const> check_alloc(const dependencies& deps, const alloc_request& request, int own_device = 0) {
        freeing_ = 0;
        resolve(deps, node_kind::alloc, request.options.label());
        if (allocation_count_ >= extents_.capacity()) [[unlikely]] {
            reserve_allocations(1);
        }
        const int device = request.options.has_device() ? request.options.where().ordinal : own_device;
        extents_[allocation_count_].bytes = request.bytes;
        allocations_[allocation_count_] = {.made_by = 0,
                                           .freed_by = 0,
                                           .witness = 0,
                                           .writes = {},
                                           .reads = {},
                                           .device = static_cast<std::int16_t>(device),
                                           .type = type_of(request),
                                           .end = allocation_fate::none};
        if (inferring_) [[unlikely]] {
            infer();
        }
        return {handles_.data(), degree_};
    }

    /// Checks the free of an allocation. One of another graph is a node like any other here.
    /// @throws misuse [D2] [D3] [D4] [F9] [F1] [O3] [O4]
    std::span<CUgraphNode_st* const> check_free(const dependencies& deps, const free_request& request) {
        const bool own = request.allocation.graph == id_ && request.allocation.index < allocation_count_;
        __builtin_prefetch(allocations_.data() + request.allocation.index);
        freeing_ = own ? request.allocation.index + 1 : 0;
        resolve(deps, node_kind::free, nullptr);
        if (own) {
            check_end_of(allocations_[request.allocation.index]);
        }
        if (inferring_) [[unlikely]] {
            infer();
        }
        return {handles_.data(), degree_};
    }

    /// Records the checked node.
    /// @param address  of an allocation
    /// @return the node's index
    std::uint32_t commit(CUgraphNode_st* handle, std::uint64_t address = 0) noexcept {
        const number made = order_.size() + 1;
        nodes_[made - 1].handle = handle;
        if (by_handle_.built()) [[unlikely]] {
            index(handle, made);
        }
        for (std::uint32_t i = 0; i < pending_uses_; ++i) {
            link(pending_[i], made);
        }
        pending_uses_ = 0;
        outside_count_ += pending_outside_;
        pending_outside_ = 0;
        if (kind_ == node_kind::alloc) {
            extents_[allocation_count_].address = address;
            allocations_[allocation_count_++].made_by = made;
            ++fateless_;
        } else if (freeing_ != 0) {
            allocations_[freeing_ - 1].freed_by = made;
            set_fate(freeing_ - 1, allocation_fate::freed);
        }
        order_.add(degree_, kind_ == node_kind::free);  // last: from here on its dependencies are pending no more
        return made - 1;
    }

    /// Checks an edge between nodes that are there. Order that is added breaks no rule of group O.
    /// @throws misuse [D3] [D4] [F9] [D6] [D7]
    void check_dependency(const node& from, const node& to, source_line where);
    /// Records the checked edge.
    void commit_dependency() noexcept {
        if (edge_from_ != 0) {
            order_.add_edge(edge_from_, edge_to_);
        }
    }

    /// Checks the removal of an edge; for graphs without memory nodes. @throws misuse [D3] [D4] [D6] when it is not there
    void check_removal(const node& from, const node& to, source_line where) {
        edge_from_ = resolve_end(from, "from", where);
        edge_to_ = resolve_end(to, "to", where);
        if (edge_from_ != 0 && edge_to_ != 0 && !order_.has_edge(edge_from_, edge_to_)) {
            raise_edge("D6", "there is no such edge", "remove an edge that was added, once", edge_from_, edge_to_, where);
        }
    }
    /// Records the checked removal.
    void commit_removal() noexcept { order_.remove_edge(edge_from_, edge_to_); }

    /// Checks the destruction of a node; for graphs without memory nodes. @throws misuse [D3] [D4]
    void check_destruction(const node& n, source_line where) { edge_from_ = resolve_end(n, "node", where); }
    /// Records the checked destruction.
    void commit_destruction() noexcept {
        if (edge_from_ == 0) {
            return;
        }
        order_.remove_edges(edge_from_);
        by_handle_.erase(nodes_[edge_from_ - 1].handle);
        nodes_[edge_from_ - 1].handle = nullptr;
        trusted_ = no_graph;
    }

    /// The model of a clone. @param handle_of  called with the handle of each node, gives its handle in the clone
    template <class HandleOf>
    [[nodiscard]] basic_recorder clone_for(std::uint32_t graph_id, HandleOf&& handle_of) const {
        basic_recorder copy(*this, graph_id);
        for (number n = 0; n < order_.size(); ++n) {
            if (nodes_[n].handle != nullptr) {
                copy.nodes_[n].handle = handle_of(nodes_[n].handle);
            }
        }
        return copy;
    }

    /// Says how an allocation ends.
    void set_fate(std::uint32_t allocation, allocation_fate end) noexcept {
        fateless_ += static_cast<std::uint32_t>(end == allocation_fate::none) -
                     static_cast<std::uint32_t>(fate_of(allocation) == allocation_fate::none);
        allocations_[allocation].end = end;
    }
    /// How an allocation ends, as far as is known.
    [[nodiscard]] allocation_fate fate_of(std::uint32_t allocation) const noexcept { return allocations_[allocation].end; }

    /// @param taken_now  allocations whose tokens are on their way into the executable
    /// @throws misuse [F10] naming each allocation without a fate
    void require_fates(std::span<const std::uint32_t> taken_now, source_line where) const {
        std::uint32_t left = fateless_;
        for (const std::uint32_t a : taken_now) {
            left -= static_cast<std::uint32_t>(fate_of(a) == allocation_fate::none);
        }
        if (left != 0) [[unlikely]] {
            raise_fates(taken_now, where);
        }
    }

    /// Nodes that were recorded, destroyed ones included.
    [[nodiscard]] std::uint32_t node_count() const noexcept { return order_.size(); }
    /// What a node does.
    [[nodiscard]] node_kind kind_of(std::uint32_t index) const noexcept { return static_cast<node_kind>(nodes_[index].kind); }
    /// The driver's handle of a node; null in the model alone.
    [[nodiscard]] CUgraphNode_st* handle_of(std::uint32_t index) const noexcept { return nodes_[index].handle; }
    /// The line that added a node.
    [[nodiscard]] source_line added_at(std::uint32_t index) const noexcept {
        return {files_[nodes_[index].file], nodes_[index].line};
    }
    /// Calls `visit` with the index of each node that a node was added after, the inferred ones included; not with
    /// what `add_dependency` put before it later.
    template <class Visit>
    void each_dependency(std::uint32_t index, Visit&& visit) const {
        for (const number n : order_.dependencies(index + 1)) {
            if (n != 0) {
                visit(n - 1);
            }
        }
    }
    static constexpr std::uint32_t no_index = 0xFFFFFFFFu;  ///< no node, no allocation
    /// A node by the driver's handle, or `no_index`.
    [[nodiscard]] std::uint32_t index_of(CUgraphNode_st* handle) {
        index_handles();
        return by_handle_.find(handle) - 1;
    }
    /// True where a path leads from one node to another.
    [[nodiscard]] bool precedes(std::uint32_t before, std::uint32_t after) {
        const number end = after + 1;
        return before != after && order_.before_any(before + 1, std::span<const number>(&end, 1));
    }

    /// Allocations that were recorded.
    [[nodiscard]] std::uint32_t allocation_count() const noexcept { return allocation_count_; }
    /// Bytes of an allocation, as asked for.
    [[nodiscard]] std::uint64_t bytes_of(std::uint32_t allocation) const noexcept { return extents_[allocation].bytes; }
    /// The address of an allocation.
    [[nodiscard]] std::uint64_t address_of(std::uint32_t allocation) const noexcept { return extents_[allocation].address; }
    /// The ordinal of the device that holds an allocation.
    [[nodiscard]] int device_of(std::uint32_t allocation) const noexcept { return allocations_[allocation].device; }
    /// The allocation node, and the free node or `no_index`.
    [[nodiscard]] std::uint32_t made_by(std::uint32_t allocation) const noexcept { return allocations_[allocation].made_by - 1; }
    /// The node that frees an allocation, or `no_index`.
    [[nodiscard]] std::uint32_t freed_by(std::uint32_t allocation) const noexcept {
        return allocations_[allocation].freed_by - 1;
    }
    /// The line that made an allocation.
    [[nodiscard]] source_line allocated_at(std::uint32_t allocation) const noexcept { return made_at(allocations_[allocation]); }
    /// "x: float[1048576], 4 MiB", or without a label "float[1048576], 4 MiB"
    [[nodiscard]] string describe(std::uint32_t allocation) const;

    // ---- graphs inside of graphs; what is not defined here is in detail/recorder_family.hpp

    /// A use of memory that is another graph's: what a graph around this one counts for the node that holds it.
    struct outside_use {
        memory_use use;     ///< the memory, and how
        source_line where;  ///< the call that added the node
    };
    /// True where nodes are gone, whose uses of other graphs' memory still stand.
    [[nodiscard]] bool lost_nodes() const noexcept { return trusted_ != id_; }
    /// Each memory of other graphs that the nodes use, once for each way.
    [[nodiscard]] std::span<const outside_use> outside_uses() const noexcept { return {outside_.data(), outside_count_}; }
    /// Makes room, so that committing cannot fail.
    void reserve_outside(std::size_t more) {
        outside_.resize(outside_count_);
        outside_.reserve(outside_count_ + more);
    }
    /// Records a use of another graph's memory, once for each way.
    void commit_outside(const outside_use& use) noexcept {
        if (!known_outside(use.use)) {
            outside_.push_back(use);
            ++outside_count_;
        }
    }

    /// The number here of an allocation of this graph, or of one that a moved child left to it; else `no_index`.
    [[nodiscard]] std::uint32_t local_of(allocation_ref allocation) const noexcept {
        if (allocation.graph == id_) {
            return allocation.index;
        }
        for (const imported& each : imports_) {
            if (each.origin == allocation) {
                return each.local;
            }
        }
        return no_index;
    }
    /// How tokens name an allocation: by the graph that made it.
    [[nodiscard]] allocation_ref origin_of(std::uint32_t allocation) const noexcept {
        const imported* const from = import_of(allocations_[allocation]);
        return from != nullptr ? from->origin : allocation_ref{id_, allocation};
    }
    /// True for an allocation that a moved child left to this graph.
    [[nodiscard]] bool is_imported(std::uint32_t allocation) const noexcept {
        return kind_of(made_by(allocation)) == node_kind::child;
    }

    /// What a moved child allocates and does not free is this graph's from here on, made by the child node (rule C15).
    void reserve_imports(const basic_recorder& child);
    /// Records them. @param child_node  the index of the node that holds the child
    void commit_imports(const basic_recorder& child, std::uint32_t child_node) noexcept;

    /// A use by a node that is there already: of the node's changed parameters, or of a node inside of the graph that
    /// it holds. @param what  uses the memory, for the message. @param before_free  it must come before the free is added
    /// @throws misuse [O1] [O2] [O3]
    template <class What>
    void check_late_use(std::uint32_t user, std::uint32_t allocation, What&& what, source_line where, bool before_free = false) {
        const allocation_record& a = allocations_[allocation];
        if (a.made_by == user + 1) {
            return;
        }
        const bool early = !precedes(a.made_by - 1, user);
        const bool late = a.freed_by != 0 && !precedes(user, a.freed_by - 1);
        if (early || late || (before_free && a.freed_by != 0)) [[unlikely]] {
            raise_late_use(a, early ? "O1" : late ? "O3" : "O2", what(), user, where);
        }
    }
    /// Makes room, so that committing cannot fail.
    void reserve_late_uses(std::size_t more) { uses_.reserve(use_count_ + more); }
    /// Records the checked use.
    void commit_late_use(std::uint32_t user, std::uint32_t allocation, access how) noexcept {
        allocation_record& a = allocations_[allocation];
        detail::use_record& latest = how == access::write ? a.writes : a.reads;
        if (a.made_by != user + 1 && latest.node != user + 1) {
            push(latest, user + 1);
        }
    }

    /// Races (rule O6) become mistakes from here on.
    void report_races(bool on) noexcept { races_ = on; }

    /// From here on, mistakes are written down instead of thrown, and what made them is left out.
    /// @param findings  outlives the recorder, or null for throwing again
    void collect_into(vector<finding>* findings) noexcept { findings_ = findings; }

private:
    using number = std::uint32_t;
    using allocation_record = detail::allocation_record;

    basic_recorder(const basic_recorder& other, std::uint32_t graph_id)
        : storage(other), id_(graph_id), fateless_(other.fateless_), trusted_(other.lost_nodes() ? no_graph : graph_id),
          races_(other.races_), outside_(other.outside_), outside_count_(other.outside_count_) {}

    void resolve(const dependencies& deps, node_kind kind, const char* name);
    void resolve_prepared(const dependencies& deps, node_kind kind, const char* name);
    void resolve_each(const dependencies& deps);
    [[nodiscard]] bool is_trusted(const detail::node_parts& parts) const noexcept {
        return parts.graph == trusted_ && parts.index < order_.size();
    }

    /// An allocation that a moved child left to this graph.
    struct imported {
        allocation_ref origin;
        std::uint32_t local;
        const char* label;
        source_line allocated;
    };
    [[nodiscard]] const imported* import_of(const allocation_record& a) const noexcept {
        for (const imported& each : imports_) {
            if (each.local == number_of(a)) {
                return &each;
            }
        }
        return nullptr;
    }
    [[nodiscard]] const char* label_of(const allocation_record& a) const noexcept {
        const imported* const from = import_of(a);
        return from != nullptr ? from->label : names_[nodes_[a.made_by - 1].name];
    }
    /// The name of a kernel, or the label of the allocation that a node makes or frees; may be null.
    [[nodiscard]] const char* name_of(number n) const noexcept {
        if (kind_of(n - 1) == node_kind::free) {
            for (std::uint32_t i = 0; i < allocation_count_; ++i) {
                if (allocations_[i].freed_by == n) {
                    return label_of(allocations_[i]);
                }
            }
        }
        return names_[nodes_[n - 1].name];
    }
    [[nodiscard]] string pending_text() const;
    [[nodiscard]] source_line made_at(const allocation_record& a) const noexcept {
        const imported* const from = import_of(a);
        return from != nullptr ? from->allocated : added_at(a.made_by - 1);
    }
    [[nodiscard]] bool known_outside(const memory_use& use) const noexcept {
        constexpr std::size_t looked_at = 8;
        for (std::size_t i = outside_.size(); i > 0 && i + looked_at > outside_.size(); --i) {
            if (outside_[i - 1].use == use) {
                return true;
            }
        }
        return false;
    }
    [[gnu::noinline]] void check_outside_use(const memory_use& use) {
        if (const std::uint32_t here = local_of(use.allocation); here != no_index) {
            return check_use({{id_, here}, use.how});
        }
        if (pending_outside_ == 0) {
            outside_.resize(outside_count_);  // an earlier node may have been refused
        }
        if (!known_outside(use)) {
            outside_.push_back({use, where_});
            ++pending_outside_;
        }
    }
    void raise_late_use(const allocation_record& a, const char* rule, const string& what, std::uint32_t user,
                        source_line where) const;
    [[nodiscard]] std::uint8_t type_of(const alloc_request& request) {
        if (last_type_name_ != request.type_name.data()) [[unlikely]] {
            last_type_ = new_type(request);
            last_type_name_ = request.type_name.data();
        }
        return last_type_;
    }
    void reserve_allocations(std::size_t more) {
        allocations_.reserve(allocation_count_ + more);
        extents_.reserve(allocations_.capacity());
    }
    [[nodiscard]] std::uint32_t number_of(const allocation_record& a) const noexcept {
        return static_cast<std::uint32_t>(&a - allocations_.data());
    }

    void check_distinct();
    void new_marks();

    /// True where the pending node depends on a node by an edge of its own.
    [[nodiscard]] bool direct(number n) const noexcept;
    [[nodiscard]] std::span<const number> pending_dependencies() const noexcept { return {order_.pending(), degree_}; }

    void check_use(const memory_use& use);

    void check_end_of(const allocation_record& a);
    void check_before(number n);
    template <class F>
    void for_uses(const detail::use_record& latest, F&& f) const {
        for (const detail::use_record* u = &latest; u->node != 0; u = &uses_[u->before - 1]) {
            f(*u);
            if (u->before == 0) {
                return;
            }
        }
    }
    void search_targets(const allocation_record& a);

    /// Enters a pending use in the lists of its allocation, and drops what it comes after: whatever must come after
    /// those must come after it.
    void link(const detail::pending_use& use, number made) noexcept {
        allocation_record& a = allocations_[use.allocation];
        if (a.writes.node == 0 && a.reads.node == 0) {
            push(use.writes ? a.writes : a.reads, made);
        } else {
            link_behind(a, use, made);
        }
        if (use.in_order) {
            a.witness = made;
        }
    }
    void link_behind(allocation_record& a, const detail::pending_use& use, number made) noexcept;
    [[nodiscard]] bool is_passed(number n, number passed) const noexcept { return n == passed || direct(n); }
    void drop_passed(detail::use_record& latest, number passed) const noexcept;
    void push(detail::use_record& latest, number made) noexcept {
        if (latest.node != 0) {
            uses_[use_count_] = latest;
            latest.before = ++use_count_;
        }
        latest.node = made & 0x7FFFFFFFu;
        latest.covered = 0;
    }

    // Inferred dependencies

    void infer_use(const allocation_record& a, bool writes);
    void infer();

    // Diagnostics, out of the way of programs that are right

    void raise(const char* rule, const detail::message_text& what, const string& fix) const;
    std::uint32_t file_number(const char* file);
    void new_name(const char* name);
    std::uint8_t new_type(const alloc_request& request);
    [[nodiscard]] string text_of(number n) const;
    [[nodiscard]] string short_name(const allocation_record& a) const;
    [[nodiscard]] string description(const allocation_record& a) const;
    [[nodiscard]] string dependencies_text() const;
    number resolve_other(const node& dependency, std::size_t position, std::size_t count);
    number resolve_end(const node& end, const char* role, source_line where);
    number find(const node& n, const char*& rule, string& trouble, string& fix);
    void index_handles();
    [[gnu::cold, gnu::noinline]] void index(CUgraphNode_st* handle, number n) noexcept { by_handle_.insert(handle, n); }
    void raise_duplicate();
    void raise_unordered_use(std::uint32_t allocation) const;
    void raise_use_after_free(std::uint32_t allocation) const;
    void raise_second_free();
    void raise_early_free(const allocation_record& a, const vector<number>& missing) const;
    void raise_edge(const char* rule, const char* trouble, const char* fix, number from, number to, source_line where) const;
    void raise_fates(std::span<const std::uint32_t> taken_now, source_line where) const;
    bool check_races(std::uint32_t allocation, bool writes);

    static constexpr std::uint32_t no_graph = 0xFFFFFFFEu;  // what no node carries
    static constexpr std::size_t few = 8;                   // dependencies that are compared one by one
    static constexpr std::size_t most_uses = 16;            // that there is always room for

    std::uint32_t id_;
    std::uint32_t fateless_ = 0;
    std::uint32_t trusted_;  // nodes of this graph are where they say; no graph once some node was destroyed

    // What is pending
    std::uint32_t file_ = 0;  // of where_.file; a node mostly comes from the file of the one before
    std::uint32_t last_name_ = 0;
    const char* last_name_text_ = nullptr;
    const char* last_type_name_ = nullptr;
    std::uint8_t last_type_ = 0;
    node_kind kind_ = node_kind::empty;
    bool inferring_ = false;
    bool races_ = false;
    const char* name_ = nullptr;
    source_line where_{};
    std::size_t degree_ = 0;
    std::uint32_t pending_uses_ = 0;
    std::uint32_t pending_outside_ = 0;
    std::uint32_t freeing_ = 0;  // the allocation that is freed, plus one
    number edge_from_ = 0;
    number edge_to_ = 0;

    detail::handle_index by_handle_;
    vector<outside_use> outside_;  // the first so many are committed
    std::uint32_t outside_count_ = 0;
    vector<imported> imports_;
    vector<finding>* findings_ = nullptr;

    detail::growing<number, true> marks_;  // the last time a node was a direct dependency, where those are many
    number mark_ = 0;
    vector<number> candidates_;
    vector<number> targets_;
};

}  // namespace v0
}  // namespace allograph

#include <allograph/model/detail/recorder_checks.hpp>
#include <allograph/model/detail/recorder_messages.hpp>
