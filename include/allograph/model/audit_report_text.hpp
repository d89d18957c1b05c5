#pragma once

#include <algorithm>

#include <allograph/model/audit_report.hpp>
#include <allograph/model/detail/json_text.hpp>
#include <allograph/model/detail/message.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

inline std::string counted(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// The text of an audit's report.
class audit_text {
public:
    explicit audit_text(const audit_report& report) : report_(report) {}

    [[nodiscard]] std::string text() {
        out_ = "allograph audit" + (report_.name.empty() ? std::string() : " of '" + printable(report_.name) + "'") + ": " +
               counted(report_.nodes.size(), "node") + ", " + counted(report_.edges.size(), "edge") + ", " +
               counted(report_.allocations.size(), "allocation") + "; ";
        const std::size_t errors = report_.errors();
        const std::size_t notes = report_.findings.size() - errors;
        out_ += report_.clean()
                    ? "nothing found"
                    : (errors == 0 ? std::string() : counted(errors, "error")) + (errors != 0 && notes != 0 ? ", " : "") +
                          (notes == 0 ? std::string() : counted(notes, "note"));
        out_ += '\n';
        for (const audit_report::finding& each : report_.findings) {
            add_finding(each);
        }
        add_allocations();
        for (const std::string& each : report_.limits) {
            out_ += (&each == report_.limits.data() ? "\nlimits\n  " : "  ") + printable(each) + "\n";
        }
        return static_cast<std::string&&>(out_);
    }

private:
    static constexpr std::uint32_t none = audit_report::none;
    static constexpr std::size_t most_allocations = 40;
    static constexpr std::size_t most_uses = 8;

    /// Names may hold anything; a terminal must not obey them.
    static std::string printable(std::string text) {
        for (char& c : text) {
            c = static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
        }
        return text;
    }
    [[nodiscard]] std::string node(std::uint32_t v) const {
        const audit_report::node& it = report_.nodes[v];
        return "node " + std::to_string(v) + ", " + printable(node_text(it.kind, it.name.c_str())) +
               (it.parent == none ? "" : ", inside of node " + std::to_string(it.parent));
    }
    void row(const char* what, const std::string& text) {
        out_ +=
            std::string("  ") + what + std::string(std::max<std::size_t>(1, 12 - std::string(what).size()), ' ') + text + "\n";
    }
    [[nodiscard]] std::string list(const std::vector<std::uint32_t>& nodes, const char* between) const {
        constexpr std::size_t most = 12;
        std::string text;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes.size() > most && i == most / 2) {
                text += std::string(between) + "...";
                i = nodes.size() - most / 2;
            }
            text += (i == 0 ? "" : between) + std::to_string(nodes[i]);
        }
        return text;
    }

    void add_finding(const audit_report::finding& f) {
        out_ += "\n[" + std::string(f.rule) + "] " + (f.severity == audit_report::severity::error ? "" : "note: ") +
                printable(f.message) + "\n";
        if (f.allocation != none) {
            const audit_report::allocation& a = report_.allocations[f.allocation];
            row("allocated", node(a.allocated_by) + ", " + bytes_text(a.bytes) + " at " + hex_text(a.address) + " on device " +
                                 std::to_string(a.device));
            add_uses(f, a);
            if (a.freed_by != none) {
                row("freed", node(a.freed_by));
            }
        } else {
            for (std::size_t i = 0; i < f.nodes.size() && i < most_uses; ++i) {
                row("at", node(f.nodes[i]));
            }
        }
        if (f.overlaps != none) {
            const audit_report::allocation& b = report_.allocations[f.overlaps];
            row("taken over", node(b.allocated_by) + ", " + bytes_text(b.bytes) + " at " + hex_text(b.address));
        }
        if (!f.path.empty()) {
            row("path", "nodes " + list(f.path, " -> "));
        }
        if (f.missing.size() == 2) {
            row("no path", "from node " + std::to_string(f.missing[0]) + " to node " + std::to_string(f.missing[1]));
        }
        out_ += "  fix: " + printable(f.fix) + "\n";
    }

    /// The users that the finding is about.
    void add_uses(const audit_report::finding& f, const audit_report::allocation& a) {
        std::size_t shown = 0;
        std::size_t more = 0;
        for (const audit_report::use& u : a.uses) {
            if (!std::binary_search(f.nodes.begin(), f.nodes.end(), u.node)) {
                continue;
            }
            if (shown == most_uses) {
                ++more;
                continue;
            }
            ++shown;
            row("used", node(u.node) + (u.how == audit_report::access::read    ? ", reads"
                                        : u.how == audit_report::access::write ? ", writes"
                                                                               : ""));
        }
        if (more != 0) {
            row("used", "by " + std::to_string(more) + " more");
        }
    }

    void add_allocations() {
        if (report_.allocations.empty()) {
            return;
        }
        out_ += "\nallocations\n";
        for (std::size_t i = 0; i < report_.allocations.size() && i < most_allocations; ++i) {
            const audit_report::allocation& a = report_.allocations[i];
            out_ += "  " + std::to_string(i) + ": " + bytes_text(a.bytes) + " at " + hex_text(a.address) + ", levels " +
                    std::to_string(a.first_level) + " to " + std::to_string(a.last_level) + ", " + counted(a.uses.size(), "use") +
                    ", allocated by node " + std::to_string(a.allocated_by) +
                    (a.freed_by == none ? ", leaves the graph" : ", freed by node " + std::to_string(a.freed_by)) + "\n";
        }
        if (report_.allocations.size() > most_allocations) {
            out_ += "  and " + std::to_string(report_.allocations.size() - most_allocations) + " more\n";
        }
        const audit_report::footprint& m = report_.memory;
        out_ += "\nmemory\n  as it is  " + bytes_text(m.driver) + " in chunks of " + bytes_text(m.chunk) + "\n  planned   " +
                bytes_text(m.planned) + "; no plan takes less than " + bytes_text(m.lower_bound) + "\n";
    }

    const audit_report& report_;
    std::string out_;
};

}  // namespace detail

inline std::string audit_report::text() const { return detail::audit_text(*this).text(); }

}  // namespace v0
}  // namespace allograph
