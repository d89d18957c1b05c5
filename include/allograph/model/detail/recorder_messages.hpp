#pragma once

// What a recorder says of mistakes. Kept out of the way of programs that make none.

#include <allograph/model/recorder.hpp>

namespace allograph {
inline namespace v0 {

template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise(const char* rule, const detail::message_text& what,
                                                              const string& fix) const {
    const misuse mistake(rule, what.text(fix));
    if (findings_ == nullptr) {
        throw mistake;
    }
    findings_->push_back({rule, mistake.what(), what.at()});
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] auto basic_recorder<Lazy>::text_of(number n) const -> string {
    return detail::node_text(kind_of(n - 1), name_of(n));
}

/// What the pending node is.
template <class Lazy>
[[gnu::cold, gnu::noinline]] auto basic_recorder<Lazy>::pending_text() const -> string {
    return detail::node_text(kind_, freeing_ != 0 ? label_of(allocations_[freeing_ - 1]) : name_);
}

template <class Lazy>
[[gnu::noinline]] void basic_recorder<Lazy>::new_name(const char* name) {
    constexpr std::size_t looked_at = 8;  // programs go round few kernels
    last_name_text_ = name;
    for (std::size_t i = names_.size(); i > 1 && i + looked_at > names_.size(); --i) {
        if (names_[i - 1] == name) {
            last_name_ = static_cast<std::uint32_t>(i - 1);
            return;
        }
    }
    last_name_text_ = nullptr;
    names_.push_back(name);
    last_name_text_ = name;
    last_name_ = static_cast<std::uint32_t>(names_.size() - 1);
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] std::uint32_t basic_recorder<Lazy>::file_number(const char* file) {
    constexpr std::size_t most = 256;
    for (std::uint32_t i = 0; i < files_.size(); ++i) {
        if (files_[i] == file) {
            return i;
        }
    }
    if (files_.size() == most) {
        return 0;  // more files than a graph is built in: their lines are not known
    }
    files_.push_back(file);
    return static_cast<std::uint32_t>(files_.size() - 1);
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] std::uint8_t basic_recorder<Lazy>::new_type(const alloc_request& request) {
    constexpr std::size_t most = 256;
    for (std::size_t i = 0; i < types_.size(); ++i) {
        if (types_[i].name == request.type_name.data()) {
            return static_cast<std::uint8_t>(i);
        }
    }
    if (types_.size() == most) {
        types_[most - 1] = {"bytes", 5, 1};  // more types than a graph is built with
    } else {
        const std::size_t bytes = request.count == 0 ? request.bytes : request.bytes / request.count;
        types_.push_back(
            {request.type_name.data(), static_cast<std::uint32_t>(request.type_name.size()), static_cast<std::uint32_t>(bytes)});
    }
    return static_cast<std::uint8_t>(types_.size() - 1);
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] auto basic_recorder<Lazy>::describe(std::uint32_t allocation) const -> string {
    return description(allocations_[allocation]);
}

/// "x: float[1048576], 4 MiB"
template <class Lazy>
[[gnu::cold, gnu::noinline]] auto basic_recorder<Lazy>::description(const allocation_record& a) const -> string {
    const char* const label = label_of(a);
    const detail::element_type& type = types_[a.type];
    const std::uint64_t bytes = bytes_of(number_of(a));
    return (label == nullptr ? string() : label + string(": ")) + string(type.name, type.name_size) + "[" +
           std::to_string(bytes / (type.bytes == 0 ? 1 : type.bytes)) + "], " + detail::bytes_text(bytes);
}

/// "'x'", or "float[1048576]" without a label
template <class Lazy>
[[gnu::cold, gnu::noinline]] auto basic_recorder<Lazy>::short_name(const allocation_record& a) const -> string {
    const char* const label = label_of(a);
    if (label != nullptr) {
        return string("'") + label + "'";
    }
    const string all = description(a);
    return all.substr(0, all.find(']') + 1);
}

/// "depends on: memset solver.cpp:43, kernel 'saxpy' solver.cpp:44"
template <class Lazy>
[[gnu::cold, gnu::noinline]] auto basic_recorder<Lazy>::dependencies_text() const -> string {
    constexpr std::size_t most = 6;
    string text = "depends on: ";
    for (std::size_t i = 0; i < degree_ && i < most; ++i) {
        const number n = order_.pending()[i];
        text += (i == 0 ? "" : ", ") + text_of(n) + " " + detail::line_text(added_at(n - 1));
    }
    if (degree_ == 0) {
        text += "nothing";
    } else if (degree_ > most) {
        text += " and " + std::to_string(degree_ - most) + " more";
    }
    return text;
}

/// The number of a node of this graph, or 0 and what is wrong with it.
template <class Lazy>
[[gnu::cold, gnu::noinline]] typename basic_recorder<Lazy>::number basic_recorder<Lazy>::find(const node& n, const char*& rule,
                                                                                              string& trouble, string& fix) {
    const detail::node_parts& parts = detail::handle_access::parts(n);
    rule = "D3";
    fix = "depend on nodes of this graph alone; whole graphs are ordered by launching them on one stream, or as child graphs";
    if (parts.graph == 0 && parts.handle == nullptr) {
        rule = "D4";
        trouble = "is no node: it was default-constructed, or is null";
        fix = "pass a node that an add_ member returned";
        return 0;
    }
    if (parts.graph != 0 && parts.index == detail::spent_index) {
        rule = "F9";
        trouble = "is a spent allocation: it was moved away, or is freed already";
        fix = "keep its node from before the move: ag::node n = x;";
        return 0;
    }
    if (parts.graph == 0) {
        index_handles();
        if (const number found = by_handle_.find(parts.handle); found != 0) {
            return found;
        }
        trouble = "is a handle that is no node of graph " + std::to_string(id_);
        return 0;
    }
    if (parts.graph != id_) {
        trouble = "is a node of graph " + std::to_string(parts.graph) + ", not of graph " + std::to_string(id_);
        return 0;
    }
    if (parts.index >= order_.size() || (lost_nodes() && nodes_[parts.index].handle == nullptr)) {
        trouble = "is a node that graph " + std::to_string(id_) + " does not hold any more";
        fix = "drop the handles of a node when it is destroyed";
        return 0;
    }
    return parts.index + 1;
}

template <class Lazy>
[[gnu::noinline]] typename basic_recorder<Lazy>::number
basic_recorder<Lazy>::resolve_other(const node& dependency, std::size_t position, std::size_t count) {
    const char* rule = nullptr;
    string trouble;
    string fix;
    const number found = find(dependency, rule, trouble, fix);
    if (found == 0) {
        const string which =
            count == 1 ? "the dependency" : "dependency " + std::to_string(position + 1) + " of " + std::to_string(count);
        raise(rule, detail::message_text(which + " " + trouble, where_).row("added", where_, pending_text()), fix);
    } else if (by_handle_.built()) {
        by_handle_.reserve_one();
    }
    return found;
}

template <class Lazy>
typename basic_recorder<Lazy>::number basic_recorder<Lazy>::resolve_end(const node& end, const char* role, source_line where) {
    const char* rule = nullptr;
    string trouble;
    string fix;
    const number found = find(end, rule, trouble, fix);
    if (found == 0) {
        raise(rule, detail::message_text(string("'") + role + "' " + trouble, where).row("at", where), fix);
    }
    return found;
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise_duplicate() {
    number* const given = order_.pending();
    std::size_t kept = 0;
    vector<number> twice;
    for (std::size_t i = 0; i < degree_; ++i) {
        bool seen = false;
        for (std::size_t k = 0; k < kept; ++k) {
            seen = seen || given[k] == given[i];
        }
        if (seen) {
            twice.push_back(given[i]);
        } else {
            handles_[kept] = handles_[i];
            given[kept++] = given[i];
        }
    }
    detail::message_text what("a dependency stands twice", where_);
    for (const number n : twice) {
        what.row("twice", added_at(n - 1), text_of(n));
    }
    raise("D2", what.row("added", where_, pending_text()),
          "name each node once; ag::unique_after(range) merges ranges that overlap");
    degree_ = kept;  // when it is only written down
    if (degree_ > few) {
        new_marks();
        for (std::size_t i = 0; i < degree_; ++i) {
            marks_[given[i]] = mark_;
        }
    }
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise_unordered_use(std::uint32_t allocation) const {
    const allocation_record& a = allocations_[allocation];
    const string what = pending_text();
    raise("O1",
          detail::message_text(what + " uses " + short_name(a) + ", but is not ordered after its allocation", where_)
              .row("allocated", made_at(a), description(a))
              .row("used", where_, what + "; " + dependencies_text()),
          string("let the ") + detail::kind_text(kind_) +
              " depend on the allocation or on a node behind it, or pass ag::inferred");
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise_use_after_free(std::uint32_t allocation) const {
    const allocation_record& a = allocations_[allocation];
    const string what = pending_text();
    detail::message_text text(what + " uses " + short_name(a) + " after its free", where_);
    text.row("allocated", made_at(a), description(a)).row("freed", added_at(a.freed_by - 1)).row("used", where_, what);
    // X9: the memory may be somebody else's by now. Certainly where addresses say so.
    const detail::allocation_extent& freed = extents_[allocation];
    const allocation_record* later = nullptr;
    bool same_bytes = false;
    for (std::uint32_t i = 0; i < allocation_count_ && !same_bytes; ++i) {
        const allocation_record& b = allocations_[i];
        if (b.made_by > a.freed_by) {
            const detail::allocation_extent& now = extents_[i];
            same_bytes =
                freed.address != 0 && now.address < freed.address + freed.bytes && freed.address < now.address + now.bytes;
            later = later == nullptr || same_bytes ? &b : later;
        }
    }
    if (later != nullptr) {
        text.row("allocated", made_at(*later), description(*later))
            .note(string("[X9] the freed bytes ") + (same_bytes ? "belong to " : "may belong to ") + short_name(*later) +
                  " by now, which the " + detail::kind_text(kind_) + " would touch");
    }
    raise("O2", text, string("add the ") + detail::kind_text(kind_) + " before the free, and let the free depend on it");
}

/// @param user  the node, or the one that holds the graph in which the memory is used
template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise_late_use(const allocation_record& a, const char* rule,
                                                                       const string& what, std::uint32_t user,
                                                                       source_line where) const {
    const bool early = rule[1] == '1';
    const bool holds = kind_of(user) == node_kind::child || kind_of(user) == node_kind::conditional;
    const string holder = text_of(user + 1);
    detail::message_text text(
        what + (holds ? " inside of a " + holder : string()) + " uses " + short_name(a) +
            (early ? ", which is not allocated before it"
             : rule[1] == '2'
                 ? ", whose free is there already: the driver takes a memset or memcpy before the free is added alone"
                 : ", whose free is not ordered after it"),
        where);
    text.row("allocated", made_at(a), description(a)).row("used", where, what);
    if (holds) {
        text.row("inside", added_at(user), holder);
    }
    if (!early) {
        text.row("freed", added_at(a.freed_by - 1));
    }
    raise(rule, text,
          early            ? "let the " + holder + " depend on the allocation or on a node behind it"
          : rule[1] == '2' ? "add it before the free"
                           : "let the free depend on the " + holder);
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise_second_free() {
    const allocation_record& a = allocations_[freeing_ - 1];
    freeing_ = 0;
    raise("F1",
          detail::message_text(short_name(a) + " is freed already", where_)
              .row("allocated", made_at(a), description(a))
              .row("freed", added_at(a.freed_by - 1))
              .row("again", where_),
          "free an allocation once");
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise_early_free(const allocation_record& a,
                                                                         const vector<number>& missing) const {
    constexpr std::size_t most = 8;
    if (missing.front() == a.made_by) {
        return raise("O4",
                     detail::message_text("the free of " + short_name(a) + " is not ordered after its allocation", where_)
                         .row("allocated", made_at(a), description(a))
                         .row("freed", where_, dependencies_text()),
                     "let the free depend on the allocation, or pass ag::inferred");
    }
    bool one = true;  // a node that reads and writes stands there twice
    for (const number n : missing) {
        one = one && n == missing.front();
    }
    detail::message_text what(
        "the free of " + short_name(a) + " is not ordered after " + (one ? "a node that uses it" : "nodes that use it"), where_);
    what.row("allocated", made_at(a), description(a));
    number last = 0;
    for (std::size_t i = 0; i < most; ++i) {
        number next = 0;
        for (const number n : missing) {
            next = n > last && (next == 0 || n < next) ? n : next;
        }
        if (next != 0) {
            what.row("used", added_at(next - 1), text_of(next));
            last = next;
        }
    }
    std::size_t more = 0;
    for (const number n : missing) {
        more += n > last ? 1u : 0u;
    }
    if (more != 0) {
        what.note("used " + std::to_string(more) + " times more");
    }
    what.row("freed", where_, dependencies_text());
    raise("O3", what,
          one ? string("let the free depend on the ") + detail::kind_text(kind_of(missing.front() - 1)) + ", or pass ag::inferred"
              : string("let the free depend on them, or pass ag::inferred"));
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise_edge(const char* rule, const char* trouble, const char* fix,
                                                                   number from, number to, source_line where) const {
    raise(rule,
          detail::message_text(trouble, where)
              .row("from", added_at(from - 1), text_of(from))
              .row("to", added_at(to - 1), text_of(to))
              .row("at", where),
          fix);
}

template <class Lazy>
[[gnu::cold, gnu::noinline]] void basic_recorder<Lazy>::raise_fates(std::span<const std::uint32_t> taken_now,
                                                                    source_line where) const {
    vector<bool> taken(allocation_count_);
    for (const std::uint32_t a : taken_now) {
        taken[a] = true;
    }
    vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < allocation_count_; ++i) {
        if (fate_of(i) == allocation_fate::none && !taken[i]) {
            open.push_back(i);
        }
    }
    const bool one = open.size() == 1;
    detail::message_text what(one ? short_name(allocations_[open.front()]) + " has no fate: nobody frees it"
                                  : std::to_string(open.size()) + " allocations have no fate: nobody frees them",
                              where.known() ? where : allocated_at(open.front()));
    for (const std::uint32_t i : open) {
        what.row("allocated", allocated_at(i), description(allocations_[i]));
    }
    if (where.known()) {
        what.row("at", where);
    }
    raise("F10", what, string("free ") + (one ? "it" : "each") + " with add_free, or pass it to ag::outputs or ag::auto_free");
}

}  // namespace v0
}  // namespace allograph
