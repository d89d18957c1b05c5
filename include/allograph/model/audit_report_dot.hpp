#pragma once

#include <algorithm>
#include <compare>
#include <string>
#include <vector>

#include <allograph/model/audit_report.hpp>
#include <allograph/model/detail/message.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// The graph of an audit's report for Graphviz. An allocation has a colour: its allocation and free node are filled with
/// it, its users striped. What a finding is about is red: its nodes, its path, and dashed the edge that is missing.
class audit_dot {
public:
    explicit audit_dot(const audit_report& report)
        : report_(report), colours_(report.nodes.size()), found_(report.nodes.size(), false) {
        for (std::uint32_t i = 0; i < report.allocations.size(); ++i) {
            const audit_report::allocation& a = report.allocations[i];
            colours_[a.allocated_by].push_back(i);
            if (a.freed_by != none) {
                colours_[a.freed_by].push_back(i);
            }
            for (const audit_report::use& u : a.uses) {
                colours_[u.node].push_back(i);
            }
        }
        for (const audit_report::finding& f : report.findings) {
            for (const std::uint32_t v : f.nodes) {
                found_[v] = true;
            }
            for (std::size_t i = 0; i + 1 < f.path.size(); ++i) {
                paths_.push_back({f.path[i], f.path[i + 1]});
            }
        }
        std::sort(paths_.begin(), paths_.end());
    }

    [[nodiscard]] std::string text() {
        out_ = "digraph allograph {\n  graph [label=" + quoted(report_.name) +
               ", fontname=\"sans-serif\"];\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n  edge "
               "[fontname=\"sans-serif\", fontsize=9];\n";
        add_graph(none);
        for (const audit_report::edge& e : report_.edges) {
            const bool wrong = std::binary_search(paths_.begin(), paths_.end(), step{e.from, e.to});
            out_ += "  n" + std::to_string(e.from) + " -> n" + std::to_string(e.to) + " [" +
                    (wrong ? "color=\"#d00000\", penwidth=2" : "color=\"#808080\"") +
                    (e.programmatic ? ", style=dotted, label=\"programmatic\"" : "") + "];\n";
        }
        for (const audit_report::finding& f : report_.findings) {
            if (f.missing.size() == 2) {
                out_ += "  n" + std::to_string(f.missing[0]) + " -> n" + std::to_string(f.missing[1]) +
                        " [color=\"#d00000\", fontcolor=\"#d00000\", style=dashed, penwidth=2, constraint=false, label=\"" +
                        f.rule + " missing\"];\n";
            }
        }
        return out_ + "}\n";
    }

private:
    static constexpr std::uint32_t none = audit_report::none;

    struct step {
        std::uint32_t from;
        std::uint32_t to;
        friend auto operator<=>(const step&, const step&) = default;
    };

    static std::string quoted(const std::string& text) {
        std::string out = "\"";
        for (const char c : text) {
            const auto byte = static_cast<unsigned char>(c);
            if (c == '\n') {
                out += "\\n";
            } else if (byte < 0x20 || byte >= 0x7F) {
                out += '?';
            } else {
                out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
            }
        }
        return out + '"';
    }

    /// A light colour; neighbours differ most.
    static std::string colour(std::uint32_t allocation) {
        const std::uint32_t hue = allocation * 137u % 360;
        const std::uint32_t rising = hue % 60 * 95 / 60;
        const std::uint32_t low = 160, high = 255;
        const std::uint32_t up = low + rising, down = high - rising;
        const std::uint32_t parts[6][3] = {{high, up, low},   {down, high, low}, {low, high, up},
                                           {low, down, high}, {up, low, high},   {high, low, down}};
        std::string text = "#";
        for (const std::uint32_t part : parts[hue / 60]) {
            text += "0123456789abcdef"[part >> 4];
            text += "0123456789abcdef"[part & 15];
        }
        return text;
    }

    /// The nodes of the graph that a node holds, as a cluster; of the audited graph for `none`.
    void add_graph(std::uint32_t holder) {
        for (std::uint32_t v = holder == none ? 0 : holder + 1; v < report_.nodes.size(); ++v) {
            if (report_.nodes[v].parent != holder) {
                continue;
            }
            add_node(v);
            const node_kind kind = report_.nodes[v].kind;
            if (kind == node_kind::child || kind == node_kind::conditional) {
                out_ += "  subgraph cluster_" + std::to_string(v) + " {\n  label=\"inside of node " + std::to_string(v) +
                        "\"; style=dashed;\n";
                add_graph(v);
                out_ += "  }\n";
            }
        }
    }

    void add_node(std::uint32_t v) {
        const audit_report::node& it = report_.nodes[v];
        std::string label = std::to_string(v) + ": " + node_text(it.kind, it.name.c_str());
        std::string fill;
        for (const std::uint32_t a : colours_[v]) {
            fill += fill.empty() ? "" : ":";
            fill += colour(a);
            label += it.kind == node_kind::alloc || it.kind == node_kind::free ? "\nallocation " : "\nuses allocation ";
            label += std::to_string(a);
            if (it.kind == node_kind::alloc) {
                label += ", " + bytes_text(report_.allocations[a].bytes);
            }
        }
        for (const audit_report::finding& f : report_.findings) {
            if (found_[v] && std::binary_search(f.nodes.begin(), f.nodes.end(), v)) {
                label += std::string("\n[") + f.rule + "]";
            }
        }
        out_ += "  n" + std::to_string(v) + " [label=" + quoted(label);
        if (!fill.empty()) {
            out_ += std::string(", style=") + (fill.find(':') == std::string::npos ? "filled" : "striped") + ", fillcolor=\"" +
                    fill + "\"";
        }
        out_ += found_[v] ? ", color=\"#d00000\", penwidth=3];\n" : "];\n";
    }

    const audit_report& report_;
    std::vector<std::vector<std::uint32_t>> colours_;  // of each node, the allocations it has to do with
    std::vector<bool> found_;
    std::vector<step> paths_;
    std::string out_;
};

}  // namespace detail

inline std::string audit_report::dot() const { return detail::audit_dot(*this).text(); }

}  // namespace v0
}  // namespace allograph
