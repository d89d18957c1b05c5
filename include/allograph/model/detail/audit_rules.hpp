#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <allograph/model/detail/audit_uses.hpp>
#include <allograph/model/detail/json_text.hpp>
#include <allograph/model/detail/message.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// "kernel 'saxpy' (node 5)"
inline std::string audit_node_text(const audit_program& program, std::uint32_t node) {
    return node_text(program.nodes[node].kind, program.nodes[node].name.c_str()) + " (node " + std::to_string(node) + ")";
}

/// Judges a program by the rules, and writes down what breaks them: for each allocation one finding a rule, however many
/// nodes break it.
class audit_rules {
public:
    static constexpr std::uint32_t none = audit_program::none;
    using severity = audit_report::severity;
    using finding = audit_report::finding;

    audit_rules(const audit_program& program, audit_order& order, audit_uses& found, audit_report& report)
        : program_(program), order_(order), found_(found), report_(report) {}

    void judge() {
        for (std::uint32_t a = 0; a < report_.allocations.size(); ++a) {
            judge_order(a);
            judge_ends(a);
            judge_place(a);
            judge_fate(a);
        }
        judge_frees();
    }

private:
    using nodes = std::vector<std::uint32_t>;

    [[nodiscard]] std::string text_of(std::uint32_t node) const { return audit_node_text(program_, node); }
    /// "allocation 3 (4 MiB)"
    [[nodiscard]] std::string name_of(std::uint32_t a) const {
        return "allocation " + std::to_string(a) + " (" + bytes_text(report_.allocations[a].bytes) + ")";
    }
    /// "memset (node 3), kernel 'saxpy' (node 5) and 2 more"
    [[nodiscard]] std::string text_of(const nodes& all) const {
        constexpr std::size_t most = 4;
        std::string text;
        for (std::size_t i = 0; i < all.size() && i < most; ++i) {
            text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + text_of(all[i]);
        }
        return text + (all.size() > most ? " and " + std::to_string(all.size() - most) + " more" : "");
    }

    finding& add(const char* rule, severity how, std::string message, std::string fix, std::uint32_t allocation, nodes involved) {
        std::sort(involved.begin(), involved.end());
        involved.erase(std::unique(involved.begin(), involved.end()), involved.end());
        report_.findings.push_back({rule,
                                    how,
                                    static_cast<std::string&&>(message),
                                    static_cast<std::string&&>(fix),
                                    allocation,
                                    none,
                                    static_cast<nodes&&>(involved),
                                    {},
                                    {}});
        return report_.findings.back();
    }
    static nodes with(nodes all, std::initializer_list<std::uint32_t> more) {
        all.insert(all.end(), more);
        return all;
    }

    [[nodiscard]] static std::string number(std::uint32_t node) { return "node " + std::to_string(node); }
    static std::string verb(const nodes& subjects, const char* base) {
        return std::string(" ") + base + (subjects.size() == 1 ? "s " : " ");
    }

    /// Rules O1 to O4.
    void judge_order(std::uint32_t a) {
        const audit_report::allocation& it = report_.allocations[a];
        nodes early, late, unordered;
        for (const audit_report::use& u : it.uses) {
            if (!order_.before(it.allocated_by, u.node)) {
                early.push_back(u.node);
            } else if (it.freed_by == none || order_.before(u.node, it.freed_by)) {
                continue;
            } else if (order_.before(it.freed_by, u.node)) {
                late.push_back(u.node);
            } else {
                unordered.push_back(u.node);
            }
        }
        if (!early.empty()) {
            add_early(a, early);
        }
        if (!late.empty()) {
            add_late(a, late);
        }
        if (!unordered.empty()) {
            add_unordered(a, unordered);
        }
        // Ordering the uses orders the free as well.
        if (early.empty() && unordered.empty() && it.freed_by != none && !order_.before(it.allocated_by, it.freed_by)) {
            add("O4", severity::error,
                "the free (" + number(it.freed_by) + ") of " + name_of(a) + " is not ordered after its allocation (" +
                    number(it.allocated_by) + ")",
                "let the free (" + number(it.freed_by) + ") depend on " + number(it.allocated_by), a,
                {it.allocated_by, it.freed_by})
                .missing = {it.allocated_by, it.freed_by};
        }
    }

    void add_early(std::uint32_t a, const nodes& users) {
        const std::uint32_t maker = report_.allocations[a].allocated_by;
        add("O1", severity::error,
            text_of(users) + verb(users, "use") + name_of(a) + " and" + (users.size() == 1 ? " is" : " are") +
                " not ordered after its allocation (" + number(maker) + ")",
            std::string("let ") + (users.size() == 1 ? "it" : "each") + " depend on " + number(maker) +
                " or on a node behind that",
            a, with(users, {maker}))
            .missing = {maker, users.front()};
    }
    void add_late(std::uint32_t a, const nodes& users) {
        const audit_report::allocation& it = report_.allocations[a];
        finding& made = add("O2", severity::error,
                            text_of(users) + verb(users, "use") + name_of(a) + " after its free (" + number(it.freed_by) + ")",
                            "free behind " + text_of(users) + ": let the free depend on " +
                                (users.size() == 1 ? "that node" : "them") + ", and not the other way round",
                            a, with(users, {it.allocated_by, it.freed_by}));
        made.path = order_.path(it.freed_by, users.front());
        tell_successor(made, users);
    }
    void add_unordered(std::uint32_t a, const nodes& users) {
        const audit_report::allocation& it = report_.allocations[a];
        finding& made = add("O3", severity::error,
                            "the free (" + number(it.freed_by) + ") of " + name_of(a) + " is not ordered after " +
                                text_of(users) + ", which" + verb(users, "use") + "it",
                            "let the free (" + number(it.freed_by) + ") depend on " + text_of(users), a,
                            with(users, {it.allocated_by, it.freed_by}));
        made.missing = {users.front(), it.freed_by};
        tell_successor(made, users);
    }

    /// Rule X9: whose bytes they are by then.
    void tell_successor(finding& made, const nodes& users) {
        constexpr std::size_t most = 16;  // users that are asked for it
        for (std::size_t i = 0; i < users.size() && i < most; ++i) {
            made.overlaps = found_.successor(made.allocation, users[i]);
            if (made.overlaps != none) {
                const std::uint32_t maker = report_.allocations[made.overlaps].allocated_by;
                made.message += "; the freed bytes may belong to allocation " + std::to_string(made.overlaps) + " (node " +
                                std::to_string(maker) + ") by then [X9]";
                made.nodes.insert(std::lower_bound(made.nodes.begin(), made.nodes.end(), maker), maker);
                return;
            }
        }
    }

    /// Rule O5.
    void judge_ends(std::uint32_t a) {
        const audit_report::allocation& it = report_.allocations[a];
        nodes past;
        std::uint64_t furthest = 0;
        for (const audit_report::use& u : it.uses) {
            if (u.how == audit_report::access::unknown) {
                continue;
            }
            const auto first = std::lower_bound(program_.touches.begin(), program_.touches.end(), u.node,
                                                [](const audit_program::touch& t, std::uint32_t n) { return t.node < n; });
            for (auto t = first; t != program_.touches.end() && t->node == u.node; ++t) {
                if (t->exact && found_.touched(static_cast<std::size_t>(t - program_.touches.begin())) == a &&
                    t->address + t->bytes > it.address + it.bytes) {
                    past.push_back(u.node);
                    furthest = std::max(furthest, t->address + t->bytes - it.address);
                }
            }
        }
        if (!past.empty()) {
            past.erase(std::unique(past.begin(), past.end()), past.end());
            add("O5", severity::error,
                text_of(past) + (past.size() == 1 ? " goes" : " go") + " past the end of " + name_of(a) + ": up to byte " +
                    std::to_string(furthest) + " of " + std::to_string(it.bytes),
                "end at the allocation's last byte, or allocate more", a, with(past, {it.allocated_by}));
        }
    }

    /// The graph that a node is in is the body of a conditional, or inside of one.
    [[nodiscard]] bool in_body(std::uint32_t node, bool& in_child) const {
        in_child = false;
        for (std::uint32_t holder = report_.nodes[node].parent; holder != none; holder = report_.nodes[holder].parent) {
            if (program_.nodes[holder].kind == node_kind::conditional) {
                return true;
            }
            in_child = true;
        }
        return false;
    }
    [[nodiscard]] bool in_body(std::uint32_t node) const {
        bool in_child = false;
        return in_body(node, in_child);
    }

    /// Rules C8, C10 and C16.
    void judge_place(std::uint32_t a) {
        const audit_report::allocation& it = report_.allocations[a];
        bool in_child = false;
        if (in_body(it.allocated_by, in_child)) {
            add(in_child ? "C16" : "C8", severity::error,
                name_of(a) + " is allocated inside of the body of a conditional (node " + std::to_string(it.allocated_by) +
                    "): the driver accepts the node, and refuses to instantiate the graph with a bare \"invalid value\"",
                "allocate before the conditional node and free after it; its body may use the memory", a,
                {it.allocated_by, report_.nodes[it.allocated_by].parent});
        } else if (it.freed_by != none && in_body(it.freed_by)) {
            add_free_in_body(it.freed_by, a);
        }
    }
    void add_free_in_body(std::uint32_t free, std::uint32_t a) {
        add("C10", severity::error,
            text_of(free) + " is inside of the body of a conditional: the driver accepts the node, and refuses to instantiate "
                            "the graph with a bare \"invalid value\"",
            "free after the conditional node", a, {free, report_.nodes[free].parent});
    }

    /// Rule F10.
    void judge_fate(std::uint32_t a) {
        const audit_report::allocation& it = report_.allocations[a];
        const bool output = std::find(program_.outputs.begin(), program_.outputs.end(), it.address) != program_.outputs.end();
        if (it.freed_by == none && !program_.freed_on_launch && !output && !in_body(it.allocated_by)) {
            add("F10", severity::note,
                name_of(a) + ", made by node " + std::to_string(it.allocated_by) +
                    ", leaves the graph: no node frees it, so somebody else must, and before that it cannot be launched again",
                "free it in the graph, or on a stream after each launch, or instantiate the graph with auto-free on launch", a,
                {it.allocated_by});
        }
    }

    void judge_frees() {
        for (const audit_uses::idle_free& each : found_.idle_frees()) {
            const std::uint64_t address = program_.nodes[each.node].address;
            if (each.again != none) {
                const std::uint32_t first = report_.allocations[each.again].freed_by;
                add("F1", severity::error,
                    text_of(each.node) + " frees " + name_of(each.again) + " again: node " + std::to_string(first) +
                        " frees it already",
                    "free an allocation once", each.again, {each.node, first, report_.allocations[each.again].allocated_by});
            } else if (in_body(each.node)) {
                add_free_in_body(each.node, none);
            } else {
                add("X6", severity::note,
                    text_of(each.node) + " frees address " + hex_text(address) +
                        ", which no allocation of this graph has: launching it is right only while somebody else's allocation "
                        "lives there",
                    "free memory in the graph that allocates it, or launch the graph that allocates it before each launch of "
                    "this one",
                    none, {each.node});
            }
        }
    }

    const audit_program& program_;
    audit_order& order_;
    audit_uses& found_;
    audit_report& report_;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
