#pragma once

// How a recorder judges the pending node: the part that every node goes through, then what few do.

#include <allograph/model/recorder.hpp>

namespace allograph {
inline namespace v0 {

template <class Lazy>
void basic_recorder<Lazy>::check_dependency(const node& from, const node& to, source_line where) {
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

/// Calls others as its last step alone, so that it saves no registers: every node goes through it.
template <class Lazy>
void basic_recorder<Lazy>::resolve(const dependencies& deps, node_kind kind, const char* name) {
    const std::size_t given = deps.size();
    const source_line where = deps.where();
    if (!order_.has_room(given) || given > handles_.capacity() || by_handle_.full() || where_.file != where.file ||
        (name != last_name_text_ && name != nullptr)) [[unlikely]] {
        return resolve_prepared(deps, kind, name);
    }
    kind_ = kind;
    name_ = name;
    where_.line = where.line;
    nodes_[order_.size()] = {nullptr, where.line & 0xFFFFFu, file_ & 0xFFu, static_cast<std::uint32_t>(kind) & 0xFu,
                             name != nullptr ? last_name_ : 0};
    inferring_ = deps.inferred();
    pending_uses_ = 0;
    pending_outside_ = 0;
    const node* const nodes = deps.nodes();
    if (nodes == nullptr || inferring_) [[unlikely]] {
        return resolve_each(deps);
    }
    number* const numbers = order_.pending();
    CUgraphNode_st** const handles = handles_.data();
    for (std::size_t i = 0; i < given; ++i) {
        const detail::node_parts& parts = detail::handle_access::parts(nodes[i]);
        if (!is_trusted(parts)) [[unlikely]] {
            return resolve_each(deps);
        }
        numbers[i] = parts.index + 1;
        handles[i] = parts.handle;
    }
    degree_ = given;
    if (given > 1) {
        check_distinct();
    }
}

/// Makes room, and knows the file and the name, before it resolves.
template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::resolve_prepared(const dependencies& deps, node_kind kind,
                                                                         const char* name) {
    order_.reserve(deps.size());
    nodes_.reserve(order_.room());
    handles_.reserve(deps.size());
    pending_.reserve(most_uses);
    if (by_handle_.full()) {
        by_handle_.reserve_one();
    }
    if (where_.file != deps.where().file) {
        file_ = file_number(deps.where().file);
        where_.file = deps.where().file;
    }
    if (name != nullptr && name != last_name_text_) {
        new_name(name);
    }
    resolve(deps, kind, name);
}

/// Any dependencies, of any graph.
template <class Lazy>
[[gnu::noinline]] void basic_recorder<Lazy>::resolve_each(const dependencies& deps) {
    candidates_.clear();
    degree_ = 0;
    for (std::size_t i = 0; i < deps.size(); ++i) {
        const node dependency = deps[i];
        const detail::node_parts& parts = detail::handle_access::parts(dependency);
        const number n = is_trusted(parts) ? parts.index + 1 : resolve_other(dependency, i, deps.size());
        if (n != 0) {
            order_.pending()[degree_] = n;
            handles_[degree_] = nodes_[n - 1].handle;
            ++degree_;
        }
    }
    if (degree_ > 1) {
        check_distinct();
    }
}

template <class Lazy>
void basic_recorder<Lazy>::check_distinct() {
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

template <class Lazy>
void basic_recorder<Lazy>::new_marks() {
    marks_.reserve(order_.size() + std::size_t{2});  // the pending node, too, may be asked for
    if (++mark_ == 0) {
        std::memset(marks_.data(), 0, marks_.capacity() * sizeof(number));
        mark_ = 1;
    }
}

template <class Lazy>
bool basic_recorder<Lazy>::direct(number n) const noexcept {
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

template <class Lazy>
void basic_recorder<Lazy>::check_use(const memory_use& use) {
    const allocation_record& a = allocations_[use.allocation.index];
    const bool writes = use.how == access::write;
    if (a.freed_by != 0) [[unlikely]] {
        return raise_use_after_free(use.allocation.index);
    }
    bool in_order = true;
    number passed = 0;
    if (inferring_) [[unlikely]] {
        infer_use(a, writes);
    } else if (a.witness != 0 && direct(a.witness)) {
        passed = a.witness;
    } else if (!direct(a.made_by)) {
        const auto given = pending_dependencies();
        if (a.witness != 0 && order_.on_a_path(a.witness, given)) {
            passed = a.witness;
        } else if (!order_.before_any(a.made_by, given)) [[unlikely]] {
            raise_unordered_use(use.allocation.index);
            in_order = false;
        }
    }
    if (races_ && !inferring_) [[unlikely]] {
        in_order = check_races(use.allocation.index, writes) && in_order;
    }
    pending_[pending_uses_++] = {use.allocation.index, passed, writes, in_order};
}

template <class Lazy>
void basic_recorder<Lazy>::check_end_of(const allocation_record& a) {
    if (a.freed_by != 0) [[unlikely]] {
        return raise_second_free();
    }
    if (inferring_) [[unlikely]] {
        infer_use(a, true);
        return;
    }
    targets_.clear();
    for_uses(a.writes, [&](const detail::use_record& u) {
        if (!u.covered) {
            check_before(u.node);
        }
    });
    for_uses(a.reads, [&](const detail::use_record& u) { check_before(u.node); });
    if (a.writes.node == 0 && a.reads.node == 0) {
        check_before(a.made_by);
    }
    if (!targets_.empty()) [[unlikely]] {
        search_targets(a);
    }
}

template <class Lazy>
void basic_recorder<Lazy>::check_before(number n) {
    if (!direct(n) && !order_.on_a_path(n, pending_dependencies())) [[unlikely]] {
        targets_.push_back(n);
    }
}

template <class Lazy>
[[gnu::noinline]] void basic_recorder<Lazy>::search_targets(const allocation_record& a) {
    number lowest = targets_.front();
    for (const number n : targets_) {
        lowest = n < lowest ? n : lowest;
    }
    order_.sweep(lowest, pending_dependencies());
    vector<number> missing;
    for (const number n : targets_) {
        if (!order_.swept(n)) {
            missing.push_back(n);
        }
    }
    if (!missing.empty()) {
        raise_early_free(a, missing);
    }
}

template <class Lazy>
[[gnu::noinline]] void basic_recorder<Lazy>::link_behind(allocation_record& a, const detail::pending_use& use,
                                                         number made) noexcept {
    if ((inferring_ || races_) && use.writes && use.in_order) [[unlikely]] {
        a.writes = a.reads = {};  // it comes after all of them
    }
    if (a.reads.node != 0) {
        drop_passed(a.reads, use.passed);
    }
    if (a.writes.node != 0) {
        if (use.writes) {
            drop_passed(a.writes, use.passed);
        } else if (is_passed(a.writes.node, use.passed)) {
            a.writes.covered = 1;
        }
    }
    push(use.writes ? a.writes : a.reads, made);
}

template <class Lazy>
[[gnu::noinline]] void basic_recorder<Lazy>::drop_passed(detail::use_record& latest, number passed) const noexcept {
    while (latest.node != 0 && is_passed(latest.node, passed)) {
        latest = latest.before == 0 ? detail::use_record{} : uses_[latest.before - 1];
    }
}

template <class Lazy>
[[gnu::noinline]] void basic_recorder<Lazy>::infer_use(const allocation_record& a, bool writes) {
    for_uses(a.writes, [&](const detail::use_record& u) { candidates_.push_back(u.node); });
    if (writes) {
        for_uses(a.reads, [&](const detail::use_record& u) { candidates_.push_back(u.node); });
    }
    if (a.writes.node == 0 && (a.reads.node == 0 || !writes)) {
        candidates_.push_back(a.made_by);
    }
}

/// Leaves the candidates that no other candidate comes after, and makes them the dependencies of the pending node.
template <class Lazy>
[[gnu::noinline]] void basic_recorder<Lazy>::infer() {
    candidates_.insert(candidates_.end(), order_.pending(), order_.pending() + degree_);
    new_marks();
    std::size_t count = 0;
    for (const number c : candidates_) {
        if (marks_[c] != mark_) {
            marks_[c] = mark_;
            candidates_[count++] = c;
        }
    }
    candidates_.resize(count);
    number lowest = 0;
    targets_.clear();  // not known to come before another
    for (const number c : candidates_) {
        bool implied = false;
        for (std::size_t i = 0; !implied && i < candidates_.size() && i < few; ++i) {
            implied = candidates_[i] != c && order_.on_a_path(c, std::span<const number>(&candidates_[i], 1));
        }
        if (!implied) {
            targets_.push_back(c);
            if (order_.has_dependents(c) && (lowest == 0 || c < lowest)) {
                lowest = c;
            }
        }
    }
    bool searched = false;
    if (targets_.size() > 1 && lowest != 0) {
        order_.sweep(lowest, targets_);
        searched = true;
    }
    order_.reserve(targets_.size());
    handles_.reserve(targets_.size());
    number* const out = order_.pending();
    degree_ = 0;
    for (const number c : targets_) {
        if (!searched || !order_.swept(c)) {
            handles_[degree_] = nodes_[c - 1].handle;
            out[degree_++] = c;
        }
    }
    candidates_.clear();
    if (degree_ > few) {
        new_marks();
        for (std::size_t i = 0; i < degree_; ++i) {
            marks_[out[i]] = mark_;
        }
    }
}

template <class Lazy>
[[gnu::noinline]] bool basic_recorder<Lazy>::check_races(std::uint32_t allocation, bool writes) {
    const allocation_record& a = allocations_[allocation];
    targets_.clear();
    for_uses(a.writes, [&](const detail::use_record& u) { check_before(u.node); });
    if (writes) {
        for_uses(a.reads, [&](const detail::use_record& u) { check_before(u.node); });
    }
    if (targets_.empty()) {
        return true;
    }
    number lowest = targets_.front();
    for (const number n : targets_) {
        lowest = n < lowest ? n : lowest;
    }
    order_.sweep(lowest, pending_dependencies());
    bool ordered = true;
    for (const number n : targets_) {
        if (!order_.swept(n)) {
            ordered = false;
            const string what = pending_text();
            raise("O6",
                  detail::message_text(
                      what + " and " + text_of(n) + " touch " + short_name(a) + " in no order, and one of them writes", where_)
                      .row("allocated", made_at(a), description(a))
                      .row("used", added_at(n - 1), text_of(n))
                      .row("used", where_, what + "; " + dependencies_text()),
                  "let one depend on the other, or pass ag::inferred");
        }
    }
    return ordered;
}

template <class Lazy>
[[gnu::noinline]] void basic_recorder<Lazy>::index_handles() {
    if (by_handle_.built()) {
        return;
    }
    by_handle_.rebuild(order_.size() + std::size_t{1});
    for (number i = 0; i < order_.size(); ++i) {
        if (nodes_[i].handle != nullptr) {
            by_handle_.insert(nodes_[i].handle, i + 1);
        }
    }
}

}  // namespace v0
}  // namespace allograph
