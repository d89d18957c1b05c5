#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <allograph/driver/picture_calls.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// The nodes inside of conditional nodes, as the driver's picture of a graph names them: drivers before CUDA 13.2 tell
/// them nowhere else.
///
///     "graph_1_node_1"[style="bold" shape="record" label="{
///     CONDITIONAL
///     | {node handle| 0x00005626FB4931F8}
///     | {True|graph_2}
///     ...
///     "];
class audit_picture {
public:
    audit_picture() = default;
    /// @param text  of cuGraphDebugDotPrint with the handles of nodes and the parameters of conditional nodes
    explicit audit_picture(const std::string& text) {
        for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
            if (at == 0 || text[at - 1] == '\n') {
                read_node(text, at);
            }
        }
    }

    /// True where the picture shows exactly these nodes as the graph's own: its form is the one expected.
    [[nodiscard]] bool shows(const std::vector<std::uintptr_t>& handles) const {
        std::vector<std::uintptr_t> shown;
        for (const node& each : nodes_) {
            if (each.graph == nodes_.front().graph) {
                shown.push_back(each.handle);
            }
        }
        std::vector<std::uintptr_t> wanted = handles;
        std::sort(shown.begin(), shown.end());
        std::sort(wanted.begin(), wanted.end());
        return shown == wanted;
    }

    /// The nodes of each graph inside of a conditional node.
    /// @return false where the picture does not show them
    bool find(CUgraphNode conditional, std::vector<std::vector<CUgraphNode>>& graphs) const {
        const auto handle = reinterpret_cast<std::uintptr_t>(conditional);
        for (const node& each : nodes_) {
            if (each.handle != handle || each.inside.empty()) {
                continue;
            }
            for (const unsigned long graph : each.inside) {
                std::vector<CUgraphNode>& found = graphs.emplace_back();
                for (const node& inner : nodes_) {
                    if (inner.graph == graph) {
                        found.push_back(reinterpret_cast<CUgraphNode>(inner.handle));
                    }
                }
                if (std::find(found.begin(), found.end(), nullptr) != found.end()) {
                    return false;  // a handle that is not shown
                }
            }
            return true;
        }
        return false;
    }

private:
    static constexpr const char* start = "\"graph_";

    struct node {
        unsigned long graph;
        std::uintptr_t handle;
        std::vector<unsigned long> inside;  // of a conditional, its graphs
    };

    void read_node(const std::string& text, std::size_t at) {
        const std::size_t opens = text.find('"', at + 1);
        const std::size_t closes = text.find("\"];", at);
        if (opens == std::string::npos || opens + 1 >= text.size() || text[opens + 1] != '[' || closes == std::string::npos) {
            return;  // an edge
        }
        const std::string label = text.substr(opens, closes - opens);
        node made{std::strtoul(text.c_str() + at + 7, nullptr, 10), 0, {}};
        const std::size_t handle = label.find("node handle");
        const std::size_t digits = handle == std::string::npos ? handle : label.find("0x", handle);
        if (digits != std::string::npos) {
            made.handle = static_cast<std::uintptr_t>(std::strtoull(label.c_str() + digits, nullptr, 16));
        }
        if (label.find("\nCONDITIONAL\n") != std::string::npos) {
            // "{True|graph_2}"; other kinds of conditional put other words around it.
            for (std::size_t graph = label.find("graph_"); graph != std::string::npos; graph = label.find("graph_", graph + 1)) {
                const unsigned long number = std::strtoul(label.c_str() + graph + 6, nullptr, 10);
                if (number != 0 && std::find(made.inside.begin(), made.inside.end(), number) == made.inside.end()) {
                    made.inside.push_back(number);
                }
            }
        }
        nodes_.push_back(static_cast<node&&>(made));
    }

    std::vector<node> nodes_;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
