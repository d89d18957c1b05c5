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
#include <allograph/model/finding.hpp>
#include <allograph/model/requests.hpp>

namespace allograph {
inline namespace v0 {

/// The model of one graph while it is built: nodes, edges, allocations and their uses.
///
/// A graph asks before it calls the driver (`check...`, which throws `misuse` and changes nothing) and tells what
/// the driver agreed to (`commit...`, which cannot fail). Between the two, the handles that `check` returned are
/// valid, and what it found is pending; another `check` drops it.
///
/// Nodes are known by index: 0, 1, 2... in order of adding; so are allocations.
class recorder {
public:
    /// @param graph_id  what nodes of this graph carry, not 0
    explicit recorder(std::uint32_t graph_id) : id_(graph_id) {}

    [[nodiscard]] std::uint32_t graph_id() const noexcept { return id_; }

    /// Checks a node that is no alloc or free. @param name  of a kernel, may be null; outlives the graph
    /// @return the handles of the dependencies, the inferred ones included
    /// @throws misuse [D2] [D3] [D4] [F9] [O1] [O2], [O6] if asked
    std::span<CUgraphNode_st* const> check(const dependencies& deps, node_kind kind, const char* name, std::span<const memory_use> uses) {
        resolve(deps, kind, name);
        uses_.reserve(use_count_ + uses.size());
        for (const memory_use& use : uses) {
            if (use.allocation.graph == id_) {
                check_use(use);
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
        resolve(deps, node_kind::alloc, request.options.label());
        allocations_.reserve(allocation_count_ + std::size_t{1});
        const int device = request.options.has_device() ? request.options.where().ordinal : own_device;
        allocations_[allocation_count_] = {.bytes = request.bytes, .address = 0, .made_by = 0, .freed_by = 0, .witness = 0, .writers = 0,
                                           .readers = 0, .device = static_cast<std::int16_t>(device), .type = type_of(request), .end = allocation_fate::none};
        if (inferring_) [[unlikely]] {
            infer();
        }
        return {handles_.data(), degree_};
    }

    /// Checks the free of an allocation. One of another graph is a node like any other here.
    /// @throws misuse [D2] [D3] [D4] [F9] [F1] [O3] [O4]
    std::span<CUgraphNode_st* const> check_free(const dependencies& deps, const free_request& request) {
        const bool own = request.allocation.graph == id_ && request.allocation.index < allocation_count_;
        resolve(deps, node_kind::free, own ? label_of(request.allocation.index) : nullptr);
        if (own) {
            freeing_ = request.allocation.index + 1;
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
        nodes_[made - 1] = {handle, name_};
        tags_[made - 1] = {where_.line & 0xFFFFFu, file_ & 0xFFu, static_cast<std::uint32_t>(kind_) & 0xFu};
        if (by_handle_.built()) [[unlikely]] {
            by_handle_.insert(handle, made);
        }
        for (std::uint32_t i = 0; i < pending_uses_; ++i) {
            link(use_count_ + i, made);
        }
        use_count_ += pending_uses_;
        pending_uses_ = 0;
        if (kind_ == node_kind::alloc) {
            allocation_record& a = allocations_[allocation_count_++];
            a.made_by = made;
            a.address = address;
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
    void check_dependency(const node& from, const node& to, source_line where) {
        edge_from_ = edge_to_ = 0;
        const number first = resolve_end(from, "from", where);
        const number second = resolve_end(to, "to", where);
        if (first == 0 || second == 0) {
            return;
        }
        if (order_.has_edge(first, second)) {
            return raise_edge("D6", "the edge is there already", "add each edge once", first, second, where);
        }
        const bool forward = first < second && order_.ascending();
        if (!forward && order_.before_any(second, std::span<const number>(&first, 1))) {
            return raise_edge("D7", "the edge would close a cycle: its target already comes before its source",
                              "leave this edge out, or take away one of those that lead back", first, second, where);
        }
        order_.reserve_edge();
        edge_from_ = first;
        edge_to_ = second;
    }
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
    void commit_removal() noexcept { order_.remove_edge(edge_from_, edge_to_); }

    /// Checks the destruction of a node; for graphs without memory nodes. @throws misuse [D3] [D4]
    void check_destruction(const node& n, source_line where) { edge_from_ = resolve_end(n, "node", where); }
    void commit_destruction() noexcept {
        if (edge_from_ == 0) {
            return;
        }
        order_.remove_edges(edge_from_);
        by_handle_.erase(nodes_[edge_from_ - 1].handle);
        nodes_[edge_from_ - 1].handle = nullptr;
        destroyed_ = true;
    }

    /// The model of a clone. @param handle_of  called with the handle of each node, gives its handle in the clone
    template <class HandleOf>
    [[nodiscard]] recorder clone_for(std::uint32_t graph_id, HandleOf&& handle_of) const {
        recorder copy(*this);
        copy.id_ = graph_id;
        copy.by_handle_.clear();
        for (number n = 0; n < order_.size(); ++n) {
            if (nodes_[n].handle != nullptr) {
                copy.nodes_[n].handle = handle_of(nodes_[n].handle);
            }
        }
        return copy;
    }

    void set_fate(std::uint32_t allocation, allocation_fate end) noexcept {
        fateless_ += static_cast<std::uint32_t>(end == allocation_fate::none) - static_cast<std::uint32_t>(fate_of(allocation) == allocation_fate::none);
        allocations_[allocation].end = end;
    }
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

    [[nodiscard]] std::uint32_t node_count() const noexcept { return order_.size(); }
    [[nodiscard]] node_kind kind_of(std::uint32_t index) const noexcept { return static_cast<node_kind>(tags_[index].kind); }
    [[nodiscard]] CUgraphNode_st* handle_of(std::uint32_t index) const noexcept { return nodes_[index].handle; }
    [[nodiscard]] source_line added_at(std::uint32_t index) const noexcept { return {files_[tags_[index].file], tags_[index].line}; }
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
    static constexpr std::uint32_t no_index = 0xFFFFFFFFu;
    /// A node by the driver's handle, or `no_index`.
    [[nodiscard]] std::uint32_t index_of(CUgraphNode_st* handle) {
        if (!by_handle_.built()) {
            const char* rule = nullptr;
            std::string trouble;
            std::string fix;
            find(node(handle), rule, trouble, fix);  // builds the index
        }
        return by_handle_.find(handle) - 1;
    }
    /// True where a path leads from one node to another.
    [[nodiscard]] bool precedes(std::uint32_t before, std::uint32_t after) {
        const number end = after + 1;
        return before != after && order_.before_any(before + 1, std::span<const number>(&end, 1));
    }

    [[nodiscard]] std::uint32_t allocation_count() const noexcept { return allocation_count_; }
    [[nodiscard]] std::uint64_t bytes_of(std::uint32_t allocation) const noexcept { return allocations_[allocation].bytes; }
    [[nodiscard]] std::uint64_t address_of(std::uint32_t allocation) const noexcept { return allocations_[allocation].address; }
    [[nodiscard]] int device_of(std::uint32_t allocation) const noexcept { return allocations_[allocation].device; }
    /// The allocation node, and the free node or `no_index`.
    [[nodiscard]] std::uint32_t made_by(std::uint32_t allocation) const noexcept { return allocations_[allocation].made_by - 1; }
    [[nodiscard]] std::uint32_t freed_by(std::uint32_t allocation) const noexcept { return allocations_[allocation].freed_by - 1; }
    [[nodiscard]] source_line allocated_at(std::uint32_t allocation) const noexcept {
        return added_at(allocations_[allocation].made_by - 1);
    }
    /// "x: float[1048576], 4 MiB", or without a label "float[1048576], 4 MiB"
    [[nodiscard]] std::string describe(std::uint32_t allocation) const;

    /// Races (rule O6) become mistakes from here on.
    void report_races(bool on) noexcept { races_ = on; }

    /// From here on, mistakes are written down instead of thrown, and what made them is left out.
    /// @param findings  outlives the recorder, or null for throwing again
    void collect_into(std::vector<finding>* findings) noexcept { findings_ = findings; }

private:
    using number = detail::reachability::number;
    using allocation_record = detail::allocation_record;

    struct node_record {
        CUgraphNode_st* handle;
        const char* name;  // of a kernel, or the label of an allocation; may be null
    };
    struct node_tag {
        std::uint32_t line : 20;
        std::uint32_t file : 8;  // in files_
        std::uint32_t kind : 4;
    };

    recorder(const recorder&) = default;

public:
    recorder(recorder&&) noexcept = default;
    recorder& operator=(recorder&&) noexcept = default;
    ~recorder() = default;

private:
    void resolve(const dependencies& deps, node_kind kind, const char* name) {
        const std::size_t given = deps.size();
        order_.reserve(given);
        if (order_.room() > nodes_.capacity()) [[unlikely]] {
            nodes_.reserve(order_.room());
            tags_.reserve(nodes_.capacity());
        }
        handles_.reserve(given);
        if (by_handle_.built()) [[unlikely]] {
            by_handle_.reserve_one();
        }
        kind_ = kind;
        name_ = name;
        // Member by member: a copy of the whole reads in one piece what was just written in two, which stalls.
        where_.file = deps.where().file;
        where_.line = deps.where().line;
        if (where_.file != files_[file_]) [[unlikely]] {
            file_ = file_number(where_.file);
        }
        inferring_ = deps.inferred();
        if (inferring_) [[unlikely]] {
            candidates_.clear();
        }
        pending_uses_ = 0;
        freeing_ = 0;
        number* const out = order_.pending();
        std::size_t degree = 0;
        for (std::size_t i = 0; i < given; ++i) {
            const node dependency = deps[i];
            const detail::node_parts& parts = detail::handle_access::parts(dependency);
            number n = parts.index + 1;
            CUgraphNode_st* handle = parts.handle;
            if (parts.graph != id_ || parts.index >= order_.size() || destroyed_) [[unlikely]] {
                n = resolve_other(dependency, i, given);
                if (n == 0) {
                    continue;
                }
                handle = nodes_[n - 1].handle;
            }
            out[degree] = n;
            handles_[degree] = handle;
            ++degree;
        }
        degree_ = degree;
        if (degree > 1) {
            check_distinct();
        }
    }

    [[nodiscard]] const char* label_of(std::uint32_t allocation) const noexcept { return nodes_[allocations_[allocation].made_by - 1].name; }
    [[nodiscard]] std::uint8_t type_of(const alloc_request& request) {
        if (last_type_ < types_.size() && types_[last_type_].name == request.type_name.data()) [[likely]] {
            return last_type_;
        }
        return last_type_ = new_type(request);
    }

    void check_distinct() {
        const number* const given = order_.pending();
        if (degree_ <= few) {
            for (std::size_t i = 1; i < degree_; ++i) {
                for (std::size_t k = 0; k < i; ++k) {
                    if (given[i] == given[k]) [[unlikely]] {
                        return raise_duplicate();
                    }
                }
            }
            return;
        }
        new_marks();
        for (std::size_t i = 0; i < degree_; ++i) {
            if (marks_[given[i]] == mark_) [[unlikely]] {
                return raise_duplicate();
            }
            marks_[given[i]] = mark_;
        }
    }
    void new_marks() {
        marks_.reserve(order_.size() + std::size_t{2});  // the pending node, too, may be asked for
        if (++mark_ == 0) {
            std::memset(marks_.data(), 0, marks_.capacity() * sizeof(number));
            mark_ = 1;
        }
    }

    /// True where the pending node depends on a node by an edge of its own.
    [[nodiscard]] bool direct(number n) const noexcept {
        if (degree_ > few) {
            return marks_[n] == mark_;
        }
        const number* const given = order_.pending();
        for (std::size_t i = 0; i < degree_; ++i) {
            if (given[i] == n) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] std::span<const number> pending_dependencies() const noexcept { return {order_.pending(), degree_}; }

    void check_use(const memory_use& use) {
        const allocation_record& a = allocations_[use.allocation.index];
        const bool writes = use.how == access::write;
        if (a.freed_by != 0) [[unlikely]] {
            return raise_use_after_free(use.allocation.index);
        }
        detail::pending_use known{true, false};
        if (inferring_) [[unlikely]] {
            infer_use(a, writes);
        } else if (!direct(a.made_by) && !direct(a.witness)) {
            const auto given = pending_dependencies();
            known.after_witness = a.witness != 0 && order_.on_a_path(a.witness, given);
            if (!known.after_witness && !order_.before_any(a.made_by, given)) [[unlikely]] {
                raise_unordered_use(use.allocation.index);
                known.in_order = false;
            }
        }
        if (races_ && !inferring_) [[unlikely]] {
            known.in_order = check_races(use.allocation.index, writes) && known.in_order;
        }
        uses_[use_count_ + pending_uses_] = {use.allocation.index, known.after_witness, writes, 0, !known.in_order};
        ++pending_uses_;
    }

    void check_end_of(const allocation_record& a) {
        if (a.freed_by != 0) [[unlikely]] {
            return raise_second_free();
        }
        if (inferring_) [[unlikely]] {
            infer_use(a, true);
            return;
        }
        targets_.clear();
        for_uses(a.writers, [&](const detail::use_record& u) {
            if (!u.covered) {
                check_before(u.node);
            }
        });
        for_uses(a.readers, [&](const detail::use_record& u) { check_before(u.node); });
        if (a.writers == 0 && a.readers == 0) {
            check_before(a.made_by);
        }
        if (!targets_.empty()) [[unlikely]] {
            search_targets(a);
        }
    }
    void check_before(number n) {
        if (!direct(n) && !order_.on_a_path(n, pending_dependencies())) [[unlikely]] {
            targets_.push_back(n);
        }
    }
    template <class F>
    void for_uses(std::uint32_t head, F&& f) const {
        for (std::uint32_t u = head; u != 0; u = uses_[u - 1].next) {
            f(uses_[u - 1]);
        }
    }
    [[gnu::noinline]] void search_targets(const allocation_record& a) {
        number lowest = targets_.front();
        for (const number n : targets_) {
            lowest = n < lowest ? n : lowest;
        }
        order_.sweep(lowest, pending_dependencies());
        std::vector<number> missing;
        for (const number n : targets_) {
            if (!order_.swept(n)) {
                missing.push_back(n);
            }
        }
        if (!missing.empty()) {
            raise_early_free(a, missing);
        }
    }

    /// Enters a pending use in the lists of its allocation, and drops what it comes after: whatever must come after
    /// those must come after it.
    void link(std::uint32_t place, number made) noexcept {
        detail::use_record& u = uses_[place];
        allocation_record& a = allocations_[u.allocation];
        const bool valid = !u.covered;
        const number passed = u.node != 0 ? a.witness : 0;  // a node that this one comes after, though not directly
        u.node = made & 0x7FFFFFFFu;
        u.covered = 0;
        if ((inferring_ || races_) && u.writes && valid) [[unlikely]] {
            a.writers = a.readers = 0;  // it comes after all of them
        }
        drop_passed(a.readers, passed);
        if (u.writes) {
            drop_passed(a.writers, passed);
        } else if (a.writers != 0 && is_passed(uses_[a.writers - 1].node, passed)) {
            uses_[a.writers - 1].covered = 1;
        }
        std::uint32_t& head = u.writes ? a.writers : a.readers;
        u.next = head & 0x7FFFFFFFu;
        head = place + 1;
        if (valid) {
            a.witness = made;
        }
    }
    [[nodiscard]] bool is_passed(number n, number passed) const noexcept { return n == passed || direct(n); }
    void drop_passed(std::uint32_t& head, number passed) const noexcept {
        while (head != 0 && is_passed(uses_[head - 1].node, passed)) {
            head = uses_[head - 1].next;
        }
    }

    // Inferred dependencies

    void infer_use(const allocation_record& a, bool writes) {
        for_uses(a.writers, [&](const detail::use_record& u) { candidates_.push_back(u.node); });
        if (writes) {
            for_uses(a.readers, [&](const detail::use_record& u) { candidates_.push_back(u.node); });
        }
        if (a.writers == 0 && (a.readers == 0 || !writes)) {
            candidates_.push_back(a.made_by);
        }
    }
    void infer();

    // Diagnostics, out of the way of programs that are right

    void raise(const char* rule, const detail::message& what, const std::string& fix) const;
    std::uint32_t file_number(const char* file);
    std::uint8_t new_type(const alloc_request& request);
    [[nodiscard]] std::string text_of(number n) const;
    [[nodiscard]] std::string short_name(const allocation_record& a) const;
    [[nodiscard]] std::string description(const allocation_record& a) const;
    [[nodiscard]] std::string dependencies_text() const;
    number resolve_other(const node& dependency, std::size_t position, std::size_t count);
    number resolve_end(const node& end, const char* role, source_line where);
    number find(const node& n, const char*& rule, std::string& trouble, std::string& fix);
    void raise_duplicate();
    void raise_unordered_use(std::uint32_t allocation) const;
    void raise_use_after_free(std::uint32_t allocation) const;
    void raise_second_free();
    void raise_early_free(const allocation_record& a, const std::vector<number>& missing) const;
    void raise_edge(const char* rule, const char* trouble, const char* fix, number from, number to, source_line where) const;
    void raise_fates(std::span<const std::uint32_t> taken_now, source_line where) const;
    bool check_races(std::uint32_t allocation, bool writes);

    static constexpr std::size_t few = 8;  // dependencies that are compared one by one

    std::uint32_t id_;
    detail::reachability order_;
    detail::growing<node_record> nodes_;
    detail::growing<node_tag> tags_;
    std::vector<const char*> files_{""};
    std::uint32_t file_ = 0;  // of the pending node, and of the one before it
    std::vector<detail::element_type> types_;
    std::uint8_t last_type_ = 0;
    detail::growing<detail::use_record> uses_;
    std::uint32_t use_count_ = 0;
    detail::growing<allocation_record> allocations_;
    std::uint32_t allocation_count_ = 0;
    std::uint32_t fateless_ = 0;
    detail::handle_index by_handle_;
    bool races_ = false;
    bool destroyed_ = false;
    std::vector<finding>* findings_ = nullptr;

    // What is pending
    node_kind kind_ = node_kind::empty;
    bool inferring_ = false;
    const char* name_ = nullptr;
    source_line where_{};
    std::size_t degree_ = 0;
    detail::growing<CUgraphNode_st*> handles_;
    std::uint32_t pending_uses_ = 0;
    std::uint32_t freeing_ = 0;  // the allocation that is freed, plus one
    number edge_from_ = 0;
    number edge_to_ = 0;

    detail::growing<number, true> marks_;  // the last time a node was a direct dependency, where those are many
    number mark_ = 0;
    std::vector<number> candidates_;
    std::vector<number> targets_;
};

}  // namespace v0
}  // namespace allograph

#include <allograph/model/detail/recorder_cold.hpp>
