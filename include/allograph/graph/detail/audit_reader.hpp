#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <allograph/driver/conditional_calls.hpp>
#include <allograph/graph/audit_options.hpp>
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
        const auto first = static_cast<std::uint32_t>(program_.nodes.size());
        program_.graphs.push_back({first, static_cast<std::uint32_t>(handles.size()), holder});
        program_.nodes.resize(first + handles.size());
        for (std::uint32_t i = 0; i < handles.size(); ++i) {
            read_node(first + i, handles[i]);
        }
        read_edges(raw, first, handles);
    }

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

    void read_edges(CUgraph raw, std::uint32_t first, const std::vector<CUgraphNode>& handles) {
        std::size_t count = driver::graph_get_edges(raw, {}, {}, {}, where_);
        if (count == 0) {
            return;
        }
        std::vector<CUgraphNode> from(count), to(count);
        std::vector<CUgraphEdgeData> data(count);
        count = driver::graph_get_edges(raw, from, to, data, where_);
        std::vector<std::uint32_t> by_handle(handles.size());
        for (std::uint32_t i = 0; i < by_handle.size(); ++i) {
            by_handle[i] = i;
        }
        const auto number = [](CUgraphNode n) { return reinterpret_cast<std::uintptr_t>(n); };
        std::sort(by_handle.begin(), by_handle.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return number(handles[a]) < number(handles[b]); });
        const auto id_of = [&](CUgraphNode n) {
            const auto at = std::lower_bound(by_handle.begin(), by_handle.end(), n, [&](std::uint32_t a, CUgraphNode wanted) {
                return number(handles[a]) < number(wanted);
            });
            return at != by_handle.end() && handles[*at] == n ? first + *at : audit_program::none;
        };
        program_.edges.reserve(program_.edges.size() + count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t before = id_of(from[i]);
            const std::uint32_t after = id_of(to[i]);
            if (before != audit_program::none && after != audit_program::none) {
                program_.edges.push_back({before, after, data[i].type != CU_GRAPH_DEPENDENCY_TYPE_DEFAULT});
            }
        }
    }

    void read_inside(std::uint32_t holder, bool child) {
        const CUgraphNode handle = program_.nodes[holder].handle;
        try {
            if (child) {
                read_graph(driver::graph_child_graph_node_get_graph(handle, where_), holder);
                return;
            }
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
        } catch (const driver_error& error) {
            program_.limits.push_back("The graph inside of node " + std::to_string(holder) +
                                      " could not be read: " + error.what() + ".");
            return;
        }
        program_.limits.push_back(
            "The bodies of conditional node " + std::to_string(holder) +
            " could not be read: drivers before CUDA 13.2 do not give them, and the options did not either.");
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
    audit_program program_;
    std::vector<std::uint32_t> unread_;
    std::string trouble_;
    std::size_t kernels_ = 0;
    std::size_t host_functions_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
