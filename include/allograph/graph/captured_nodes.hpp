#pragma once

#include <span>
#include <vector>

#include <allograph/graph/detail/ledger.hpp>
#include <allograph/graph/detail/read_back.hpp>
#include <allograph/graph/detail/read_back_addresses.hpp>
#include <allograph/model/detail/handle_index.hpp>
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

/// A free that a capture left in its graph, of memory that this graph did not allocate.
struct captured_free {
    node freed;
    std::uint64_t address;
    bool told;  // whose memory it is
};

/// Enters what the driver added to a graph, in a capture, into the graph's model.
///
/// The nodes are there for good, so every one of them is entered; what they break is written down. Uses of memory of the
/// graphs around this one count there, for the nodes that hold it (rule C9).
/// @tparam Books  `ledger`; a parameter so that programs that capture nothing do not pay for compiling this
template <class Books>
class captured_nodes {
public:
    /// @param captured  the line that stands for all of them
    captured_nodes(Books& books, source_line captured) : books_(books), model_(books.model), where_(captured) {
        fill(memory_, model_);
        std::uint32_t holder = books.holder();
        for (Books* each = books.around(); each != nullptr; holder = each->holder(), each = each->around()) {
            around_.push_back({each, holder, {}});
            fill(around_.back().memory, each->model);
        }
    }

    /// One of the nodes, where it is no memory node, also uses what the caller said.
    void declare(CUgraphNode which, std::span<const memory_use> uses) {
        declared_for_ = which;
        declared_ = uses;
    }

    /// Enters each node of the graph that the model does not know. The driver is asked about all of them first: where one
    /// of its calls fails, nothing has changed. @throws driver_error
    void enter(CUgraph graph) {
        read(graph);
        const collecting guard(*this);
        for (const node_reading& each : readings_) {
            enter_with_dependencies(each.handle);
        }
        for (captured_allocation& each : allocations) {
            each.freed = model_.fate_of(each.allocation) == allocation_fate::freed;
        }
    }

    std::vector<node> nodes;
    std::vector<captured_allocation> allocations;
    std::vector<captured_free> frees;  // of other graphs' memory
    std::vector<finding> findings;
    bool has_memory_nodes = false;
    bool complete = true;   // every node was read in full
    bool declared = false;  // the uses that the caller said are entered

private:
    /// A graph around this one, and what it knows to lie where.
    struct outer {
        Books* books;
        std::uint32_t holder;  // the node of it that holds the graph inside
        address_map memory;
    };

    /// For its life, mistakes that this graph's model or one around it finds are written down.
    class collecting {
    public:
        explicit collecting(captured_nodes& of) noexcept : of_(of) { set(&of.findings); }
        collecting(const collecting&) = delete;
        collecting& operator=(const collecting&) = delete;
        ~collecting() { set(nullptr); }

    private:
        void set(std::vector<finding>* list) noexcept {
            of_.model_.collect_into(list);
            for (const outer& each : of_.around_) {
                each.books->model.collect_into(list);
            }
        }
        captured_nodes& of_;
    };

    template <class Model>
    static void fill(address_map& memory, const Model& model) {
        for (std::uint32_t a = 0; a < model.allocation_count(); ++a) {
            memory.add(model.address_of(a), model.bytes_of(a), a);
        }
    }

    void read(CUgraph graph) {
        node_reader<> reader(where_);
        for (const CUgraphNode each : node_reader<>::nodes_of(graph, where_)) {
            if (model_.index_of(each) == recorder::no_index) {
                readings_.push_back(reader.read(each));
            }
        }
        places_.rebuild(readings_.size());
        for (std::uint32_t i = 0; i < readings_.size(); ++i) {
            places_.insert(readings_[i].handle, i + 1);
        }
    }

    /// In an order in which every node comes after its dependencies, whatever order the driver lists them in.
    void enter_with_dependencies(CUgraphNode wanted) {
        waiting_.assign(1, wanted);
        while (!waiting_.empty()) {
            const CUgraphNode at = waiting_.back();
            if (model_.index_of(at) != recorder::no_index) {
                waiting_.pop_back();
                continue;
            }
            const node_reading& reading = readings_[places_.find(at) - 1];
            CUgraphNode unknown = nullptr;
            dependencies_.clear();
            for (const CUgraphNode each : reading.dependencies) {
                const std::uint32_t index = model_.index_of(each);
                if (index == recorder::no_index) {
                    unknown = each;
                    break;
                }
                dependencies_.push_back(handle_access::make_node(each, model_.graph_id(), index));
            }
            if (unknown == nullptr) {
                enter_node(reading);
                waiting_.pop_back();
            } else if (waiting_.size() > readings_.size()) {
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
            allocations.push_back(
                {made(model_.commit(each.handle, each.address)), each.address, each.bytes, allocation, false, false});
            return;
        }
        if (each.kind == node_kind::free) {
            has_memory_nodes = true;
            if (const std::uint32_t freed = find(each.address); freed != address_map::nobody) {
                model_.check_free(deps,
                                  {node(model_.handle_of(model_.made_by(freed))), {model_.graph_id(), freed}, each.address});
                made(model_.commit(each.handle));
                return;
            }
        }
        find_uses(each);
        model_.check(deps, each.kind, each.name, uses_);
        const bool copies = each.kind == node_kind::memset || each.kind == node_kind::memcpy;
        books_.check_around(uses_, copies, [&] { return node_text(each.kind, each.name); }, where_);
        books_.commit_around(uses_, where_);
        const node entered = made(model_.commit(each.handle));
        if (each.kind == node_kind::free) {
            frees.push_back({entered, each.address, false});
        }
    }

    /// One use for each allocation that the node touches; a write counts for a read as well.
    void find_uses(const node_reading& each) {
        uses_.clear();
        for (const touched_memory& touched : each.memory) {
            if (const allocation_ref allocation = owner_of(touched.address); allocation.known()) {
                add_use({allocation, touched.how});
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

    /// Whose memory an address is: this graph's, or that of one around it.
    allocation_ref owner_of(std::uint64_t address) {
        if (const std::uint32_t own = find(address); own != address_map::nobody) {
            return {model_.graph_id(), own};
        }
        for (outer& each : around_) {
            auto& model = each.books->model;
            const std::uint32_t found = each.memory.find(address, [&](std::uint32_t allocation) {
                return lifetime_of(model, allocation, [&](std::uint32_t index) {
                    return index == each.holder || model.precedes(index, each.holder);
                });
            });
            if (found != address_map::nobody) {
                return model.origin_of(found);
            }
        }
        return {};
    }
    std::uint32_t find(std::uint64_t address) {
        return memory_.find(address, [this](std::uint32_t allocation) {
            return lifetime_of(model_, allocation, [this](std::uint32_t index) { return comes_before(index); });
        });
    }
    /// @param is_before  whether a node of the model comes before the one in question
    template <class Model, class Before>
    static lifetime lifetime_of(const Model& model, std::uint32_t allocation, Before&& is_before) {
        if (!is_before(model.made_by(allocation))) {
            return lifetime::pending;
        }
        const std::uint32_t freed = model.freed_by(allocation);
        return freed != recorder::no_index && is_before(freed) ? lifetime::freed : lifetime::live;
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

    Books& books_;
    recorder& model_;
    source_line where_;
    std::vector<node_reading> readings_;
    handle_index places_;  // in the readings, from 1 on
    address_map memory_;
    std::vector<outer> around_;
    std::vector<CUgraphNode> waiting_;
    std::vector<node> dependencies_;
    std::vector<memory_use> uses_;
    CUgraphNode declared_for_ = nullptr;
    std::span<const memory_use> declared_;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
