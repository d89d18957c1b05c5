#pragma once

#include <span>
#include <vector>

#include <allograph/graph/detail/read_back.hpp>
#include <allograph/graph/detail/read_back_addresses.hpp>
#include <allograph/model/recorder.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// An allocation that a capture left in its graph.
struct captured_allocation {
    node made;
    std::uint64_t address;
    std::uint64_t bytes;
    std::uint32_t allocation;  // its number in the graph
    bool freed;                // inside of the capture
    bool taken;                // its token is made
};

/// Enters what the driver added to a graph, in a capture, into the graph's model.
///
/// The nodes are there for good, so every one of them is entered; what they break is written down.
/// @tparam Model  `recorder`; a parameter so that programs that capture nothing do not pay for compiling this
template <class Model>
class captured_nodes {
public:
    /// @param captured  the line that stands for all of them
    captured_nodes(Model& model, source_line captured) : model_(model), where_(captured), reader_(captured) {
        for (std::uint32_t a = 0; a < model.allocation_count(); ++a) {
            memory_.add(model.address_of(a), model.bytes_of(a), a);
        }
    }

    /// One of the nodes, where it is no memory node, also uses what the caller said.
    void declare(CUgraphNode which, std::span<const memory_use> uses) {
        declared_for_ = which;
        declared_ = uses;
    }

    /// Enters each node of the graph that the model does not know. @throws driver_error
    void enter(CUgraph graph) {
        const std::vector<CUgraphNode> all = node_reader<>::nodes_of(graph, where_);
        model_.collect_into(&findings);
        try {
            for (const CUgraphNode each : all) {
                enter_with_dependencies(each, all.size());
            }
        } catch (...) {
            model_.collect_into(nullptr);
            throw;
        }
        model_.collect_into(nullptr);
        for (captured_allocation& each : allocations) {
            each.freed = model_.fate_of(each.allocation) == allocation_fate::freed;
        }
    }

    std::vector<node> nodes;
    std::vector<captured_allocation> allocations;
    std::vector<finding> findings;
    bool has_memory_nodes = false;
    bool complete = true;  // every node was read in full
    bool declared = false;  // the uses that the caller said are entered

private:
    /// In an order in which every node comes after its dependencies, whatever order the driver lists them in.
    void enter_with_dependencies(CUgraphNode wanted, std::size_t node_count) {
        waiting_.assign(1, wanted);
        while (!waiting_.empty()) {
            const CUgraphNode at = waiting_.back();
            if (model_.index_of(at) != Model::no_index) {
                waiting_.pop_back();
                continue;
            }
            CUgraphNode unknown = nullptr;
            dependencies_.clear();
            for (const CUgraphNode each : reader_.dependencies_of(at)) {
                const std::uint32_t index = model_.index_of(each);
                if (index == Model::no_index) {
                    unknown = each;
                    break;
                }
                dependencies_.push_back(handle_access::make_node(each, model_.graph_id(), index));
            }
            if (unknown == nullptr) {
                enter_node(reader_.read_without_dependencies(at));
                waiting_.pop_back();
            } else if (waiting_.size() > node_count) {
                broken_rule("D7", "the captured nodes depend on each other in a cycle", where_);
            } else {
                waiting_.push_back(unknown);
            }
        }
    }

    void enter_node(const node_reading& each) {
        complete = complete && each.complete;
        const dependencies deps(dependencies_, where_.file, where_.line);
        const auto made = [&](std::uint32_t index) {
            nodes.push_back(handle_access::make_node(each.handle, model_.graph_id(), index));
            return nodes.back();
        };
        if (each.kind == node_kind::alloc) {
            has_memory_nodes = true;
            model_.check_alloc(deps, {each.bytes, each.bytes, 1, "byte", named("captured").on(device{each.device})});
            const std::uint32_t allocation = model_.allocation_count();
            memory_.add(each.address, each.bytes, allocation);
            allocations.push_back({made(model_.commit(each.handle, each.address)), each.address, each.bytes, allocation, false, false});
            return;
        }
        if (each.kind == node_kind::free) {
            has_memory_nodes = true;
            if (const std::uint32_t freed = find(each.address); freed != address_map::nobody) {
                model_.check_free(deps, {node(model_.handle_of(model_.made_by(freed))), {model_.graph_id(), freed}, each.address});
                made(model_.commit(each.handle));
                return;
            }
        }
        find_uses(each);
        model_.check(deps, each.kind, each.name, uses_);
        made(model_.commit(each.handle));
    }

    /// One use for each allocation that the node touches; a write counts for a read as well.
    void find_uses(const node_reading& each) {
        uses_.clear();
        for (const touched_memory& touched : each.memory) {
            if (const std::uint32_t allocation = find(touched.address); allocation != address_map::nobody) {
                add_use({{model_.graph_id(), allocation}, touched.how});
            }
        }
        if (each.handle == declared_for_) {
            declared = true;
            for (const memory_use& use : declared_) {
                add_use(use);
            }
        }
    }
    void add_use(const memory_use& added) {
        for (memory_use& use : uses_) {
            if (use.allocation == added.allocation) {
                use.how = added.how == access::write ? access::write : use.how;
                return;
            }
        }
        uses_.push_back(added);
    }

    std::uint32_t find(std::uint64_t address) {
        return memory_.find(address, [this](std::uint32_t allocation) {
            if (!comes_before(model_.made_by(allocation))) {
                return lifetime::pending;
            }
            const std::uint32_t freed = model_.freed_by(allocation);
            return freed != Model::no_index && comes_before(freed) ? lifetime::freed : lifetime::live;
        });
    }
    /// Of the node that is entered next.
    bool comes_before(std::uint32_t index) {
        for (const node& each : dependencies_) {
            const std::uint32_t dependency = handle_access::parts(each).index;
            if (dependency == index || model_.precedes(index, dependency)) {
                return true;
            }
        }
        return false;
    }

    Model& model_;
    source_line where_;
    node_reader<> reader_;
    address_map memory_;
    std::vector<CUgraphNode> waiting_;
    std::vector<node> dependencies_;
    std::vector<memory_use> uses_;
    CUgraphNode declared_for_ = nullptr;
    std::span<const memory_use> declared_;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
