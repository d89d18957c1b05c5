#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <allograph/driver/conditional_calls.hpp>
#include <allograph/graph/audit_options.hpp>
#include <allograph/graph/detail/audit_picture.hpp>
#include <allograph/graph/detail/read_back.hpp>
#include <allograph/model/audit_program.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Reads a graph and the graphs inside of it. What the driver refuses to tell becomes a limit.
template <class = void>
class audit_reader {
public:
    audit_reader(const audit_options& options, source_line where)
        : options_(options), where_(where), reader_(where, inner_nodes::are_read_alone) {
        program_.name = options.name;
        program_.freed_on_launch = options.auto_free_on_launch;
        program_.outputs = options.outputs;
        program_.chunk_bytes = options.chunk_bytes;
    }

    /// @throws driver_error for what is no graph
    audit_program read(CUgraph raw) {
        audited_ = raw;
        read_graph(raw, audit_program::none);
        // Holders are met in the order of their graphs: each graph comes behind the one around it.
        for (std::uint32_t i = 0; i < program_.nodes.size(); ++i) {
            const node_kind kind = program_.nodes[i].kind;
            if (kind == node_kind::child || kind == node_kind::conditional) {
                read_inside(i, kind == node_kind::child);
            }
        }
        say_limits();
        return static_cast<audit_program&&>(program_);
    }

private:
    void read_graph(CUgraph raw, std::uint32_t holder) {
        const std::vector<CUgraphNode> handles = node_reader<>::nodes_of(raw, where_);
        const std::uint32_t first = read_nodes(handles, holder);
        std::size_t count = driver::graph_get_edges(raw, {}, {}, {}, where_);
        if (count != 0) {
            std::vector<CUgraphNode> from(count), to(count);
            std::vector<CUgraphEdgeData> data(count);
            count = driver::graph_get_edges(raw, from, to, data, where_);
            const handle_order ids(handles, first);
            program_.edges.reserve(program_.edges.size() + count);
            for (std::size_t i = 0; i < count; ++i) {
                add_edge(ids.find(from[i]), ids.find(to[i]), data[i]);
            }
        }
    }

    /// The same of a graph of which only the nodes are known.
    void read_graph(const std::vector<CUgraphNode>& handles, std::uint32_t holder) {
        const std::uint32_t first = read_nodes(handles, holder);
        const handle_order ids(handles, first);
        for (std::uint32_t i = 0; i < handles.size(); ++i) {
            const std::vector<CUgraphNode>& from = reader_.dependencies_of(handles[i]);
            for (std::size_t k = 0; k < from.size(); ++k) {
                add_edge(ids.find(from[k]), first + i, reader_.edges_of_dependencies()[k]);
            }
        }
    }

    /// @return the id of the first
    std::uint32_t read_nodes(const std::vector<CUgraphNode>& handles, std::uint32_t holder) {
        const auto first = static_cast<std::uint32_t>(program_.nodes.size());
        program_.graphs.push_back({first, static_cast<std::uint32_t>(handles.size()), holder});
        program_.nodes.resize(first + handles.size());
        for (std::uint32_t i = 0; i < handles.size(); ++i) {
            read_node(first + i, handles[i]);
        }
        return first;
    }

    void add_edge(std::uint32_t from, std::uint32_t to, const CUgraphEdgeData& data) {
        if (from != audit_program::none && to != audit_program::none) {
            program_.edges.push_back({from, to, data.type != CU_GRAPH_DEPENDENCY_TYPE_DEFAULT});
        }
    }

    /// The ids of the nodes of one graph, by handle.
    class handle_order {
    public:
        handle_order(const std::vector<CUgraphNode>& handles, std::uint32_t first) {
            entries_.reserve(handles.size());
            for (std::uint32_t i = 0; i < handles.size(); ++i) {
                entries_.push_back({reinterpret_cast<std::uintptr_t>(handles[i]), first + i});
            }
            std::sort(entries_.begin(), entries_.end(), [](const entry& a, const entry& b) { return a.handle < b.handle; });
        }
        [[nodiscard]] std::uint32_t find(CUgraphNode node) const {
            const auto wanted = reinterpret_cast<std::uintptr_t>(node);
            const auto at = std::lower_bound(entries_.begin(), entries_.end(), wanted,
                                             [](const entry& e, std::uintptr_t handle) { return e.handle < handle; });
            return at != entries_.end() && at->handle == wanted ? at->id : audit_program::none;
        }

    private:
        struct entry {
            std::uintptr_t handle;
            std::uint32_t id;
        };
        std::vector<entry> entries_;
    };

    void read_node(std::uint32_t id, CUgraphNode handle) {
        const node_reading& found = reader_.read_without_dependencies(handle);
        audit_program::node& made = program_.nodes[id];
        made.kind = found.kind;
        made.name = found.name == nullptr ? "" : found.name;
        made.address = found.address;
        made.bytes = found.bytes;
        made.device = found.device;
        made.handle = handle;
        for (const touched_memory& each : found.memory) {
            const auto how = !each.exact                 ? audit_report::access::unknown
                             : each.how == access::write ? audit_report::access::write
                                                         : audit_report::access::read;
            program_.touches.push_back({id, how, each.exact, each.gaps, each.address, each.bytes});
        }
        kernels_ += found.kind == node_kind::kernel ? 1u : 0u;
        host_functions_ += found.kind == node_kind::host ? 1u : 0u;
        if (!found.complete) {
            unread_.push_back(id);
            if (trouble_.empty()) {
                trouble_ = found.trouble;
            }
        }
    }

    /// What is inside of a node, in whole or not at all.
    void read_inside(std::uint32_t holder, bool child) {
        const CUgraphNode handle = program_.nodes[holder].handle;
        const std::size_t nodes = program_.nodes.size(), graphs = program_.graphs.size();
        const std::size_t edges = program_.edges.size(), touches = program_.touches.size();
        try {
            if (child) {
                read_graph(driver::graph_child_graph_node_get_graph(handle, where_), holder);
            } else {
                read_bodies(handle, holder);
            }
        } catch (const driver_error& error) {
            program_.nodes.resize(nodes);
            program_.graphs.erase(program_.graphs.begin() + static_cast<std::ptrdiff_t>(graphs), program_.graphs.end());
            program_.edges.erase(program_.edges.begin() + static_cast<std::ptrdiff_t>(edges), program_.edges.end());
            program_.touches.erase(program_.touches.begin() + static_cast<std::ptrdiff_t>(touches), program_.touches.end());
            program_.limits.push_back("The graph inside of node " + std::to_string(holder) +
                                      " could not be read: " + error.what() + ".");
        }
    }

    /// The bodies of a conditional: from the options, from the driver, or from the driver's picture of the audited graph.
    void read_bodies(CUgraphNode handle, std::uint32_t holder) {
        std::vector<CUgraph> bodies;
        bool told = false;
        for (const audit_bodies& each : options_.bodies) {
            if (each.conditional == handle) {
                bodies = each.bodies;
                told = true;
            }
        }
        if (told || driver::conditional_node_get_graphs(handle, bodies, where_)) {
            for (const CUgraph each : bodies) {
                read_graph(each, holder);
            }
            return;
        }
        if (!pictured_) {
            pictured_ = true;
            take_picture();
        }
        std::vector<std::vector<CUgraphNode>> shown;
        if (!picture_.find(handle, shown)) {
            program_.limits.push_back("The bodies of conditional node " + std::to_string(holder) +
                                      " could not be read: the driver does not show them, nor do the options.");
            return;
        }
        for (const std::vector<CUgraphNode>& each : shown) {
            read_graph(each, holder);
        }
    }

    void take_picture() {
        constexpr unsigned flags = CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES | CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS;
        picture_ = audit_picture(driver::graph_debug_dot(audited_, flags, where_));
        std::vector<std::uintptr_t> handles;
        for (std::uint32_t v = 0; v < program_.graphs.front().node_count; ++v) {
            handles.push_back(reinterpret_cast<std::uintptr_t>(program_.nodes[v].handle));
        }
        if (!picture_.shows(handles)) {
            picture_ = {};
        }
    }

    void say_limits() {
        if (kernels_ != 0 && !driver::knows_parameter_layouts) {
            program_.limits.push_back("The arguments of " + std::to_string(kernels_) +
                                      " kernels were not read: their layout needs the headers of CUDA 12.4.");
        } else if (!unread_.empty()) {
            std::string nodes;
            constexpr std::size_t most = 8;
            for (std::size_t i = 0; i < unread_.size() && i < most; ++i) {
                nodes += (i == 0 ? " " : ", ") + std::to_string(unread_[i]);
            }
            program_.limits.push_back("What these nodes touch could not be read in full:" + nodes +
                                      (unread_.size() > most ? " and " + std::to_string(unread_.size() - most) + " more" : "") +
                                      (trouble_.empty() ? "" : "; the driver answered: " + trouble_) + ".");
        }
        if (kernels_ != 0) {
            program_.limits.push_back("Of kernels, the addresses among their arguments are known: not whether they are read or "
                                      "written, and not what is reached "
                                      "through pointers in memory.");
        }
        if (host_functions_ != 0) {
            program_.limits.push_back("What host functions touch is not known.");
        }
    }

    const audit_options& options_;
    source_line where_;
    node_reader<> reader_;
    CUgraph audited_ = nullptr;
    audit_picture picture_;
    bool pictured_ = false;
    audit_program program_;
    std::vector<std::uint32_t> unread_;
    std::string trouble_;
    std::size_t kernels_ = 0;
    std::size_t host_functions_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
