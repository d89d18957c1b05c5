#pragma once

#include <string>
#include <vector>

#include <allograph/detail/lazy.hpp>
#include <allograph/graph/detail/allocation_cell.hpp>
#include <allograph/graph/detail/spin_lock.hpp>
#include <allograph/graph/orphan.hpp>
#include <allograph/model/detail/growing.hpp>
#include <allograph/model/recorder.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Memory of another graph that a graph uses.
struct borrowed {
    allocation_cell cell;
    std::string what;
    source_line used;
};

/// What a checked graph remembers besides its nodes: which allocations outlive a launch, and which allocations of
/// other graphs it frees. Every live ledger can be found by its graph's id, so that one graph can give the
/// allocation of another its fate.
///
/// A template like the recorder: a file that builds no checked graph pays for its text alone.
template <class Lazy>
class basic_ledger {
public:
    struct exported {
        std::uint32_t allocation;
        allocation_cell cell;
    };
    struct foreign_free {
        allocation_cell cell;
        std::string what;
        source_line freed;
        std::uint64_t address;
        std::uint64_t bytes;
    };
    /// One that is about to be added, with all that could fail behind it.
    struct coming_free {
        basic_ledger* maker;
        std::uint32_t allocation;
        foreign_free entry;
    };

    /// An allocation on another device than the graph's, and the devices that may reach it, as bits.
    struct remote {
        std::uint32_t allocation;
        std::uint64_t peers;
    };

    using borrow_list = lazy<std::vector<borrowed>, Lazy>;

    explicit basic_ledger(std::uint32_t id) : model(id), id_(id) { enroll(); }
    basic_ledger(std::uint32_t id, basic_recorder<Lazy>&& copied) : model(std::move(copied)), id_(id) { enroll(); }
    basic_ledger(const basic_ledger&) = delete;
    basic_ledger& operator=(const basic_ledger&) = delete;
    ~basic_ledger() {
        for (basic_ledger* const each : inner) {
            delete each;
        }
        // The orphans are named: of nvcc 13.0 the host's compiler gets braces alone without their end.
        for (const foreign_free& each : frees) {
            if (each.cell.freer_leaves()) {
                lose(orphan{each.address, each.bytes, CUDA_ERROR_ILLEGAL_STATE});
            }
        }
        for (const exported& each : exports_) {
            if (each.cell.maker_leaves()) {
                lose(orphan{model.address_of(each.allocation), model.bytes_of(each.allocation), CUDA_ERROR_ILLEGAL_STATE});
            }
        }
        const spin_lock guard;
        basic_ledger** link = &first();
        while (*link != this) {
            link = &(*link)->next_;
        }
        *link = next_;
    }

    /// The ledger of a graph that is alive, or null.
    static basic_ledger* find(std::uint32_t id) noexcept {
        const spin_lock guard;
        basic_ledger* each = first();
        while (each != nullptr && each->id_ != id) {
            each = each->next_;
        }
        return each;
    }

    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }

    /// A free in this graph of another's allocation: that graph learns its fate, and both share the cell that says whether
    /// the memory is live (rules F3 to F5, X6). Two steps, so that the second cannot fail. @throws misuse [F1] [F4]
    [[nodiscard]] coming_free prepare_free(allocation_ref allocation, source_line where) {
        std::uint32_t index = allocation.index;
        basic_ledger* const maker = launcher_of(allocation, index);
        if (maker == nullptr) {
            broken_rule("F4",
                        "the graph that made this allocation is gone, and its executable too: nothing will ever allocate it",
                        where);
        }
        refuse_if_freed(maker->model, index, where);
        make_room(frees, 1);
        return {maker,
                index,
                {maker->prepare_export(index), maker->model.describe(index), where, maker->model.address_of(index),
                 maker->model.bytes_of(index)}};
    }
    void commit_free(coming_free&& coming) noexcept {
        coming.maker->commit_export(coming.allocation, coming.entry.cell);
        coming.maker->model.set_fate(coming.allocation, allocation_fate::given);
        frees.push_back(std::move(coming.entry));
    }
    /// A capture may have freed an allocation whose token is still in the caller's hands (rule C12).
    static void refuse_if_freed(const basic_recorder<Lazy>& maker, std::uint32_t allocation, source_line where) {
        if (maker.fate_of(allocation) == allocation_fate::freed) [[unlikely]] {
            throw misuse("F1", maker.describe(allocation) + " is freed already, inside of its graph\n  allocated  " +
                                   line_text(maker.allocated_at(allocation)) + "\n  freed      " +
                                   line_text(maker.added_at(maker.freed_by(allocation))) + "\n  at         " + line_text(where) +
                                   "\n  fix: give an allocation one fate");
        }
    }

    /// The driver's graph goes to somebody who does not tell: what it allocates may live, what it frees is its owner's care.
    void lose_sight() noexcept {
        for (const exported& each : exports_) {
            each.cell.lose_sight();
        }
        frees.clear();
    }

    /// The cell of an allocation whose memory outlives a launch. Two steps, so that the second cannot fail: a cell
    /// found or made, with room for it; then its entry.
    [[nodiscard]] allocation_cell prepare_export(std::uint32_t allocation, std::size_t room = 1) {
        if (const allocation_cell* known = export_of(allocation)) {
            return *known;
        }
        reserve_exports(room);
        return allocation_cell::make();
    }
    void commit_export(std::uint32_t allocation, const allocation_cell& cell) noexcept {
        if (export_of(allocation) == nullptr) {
            exports_.push_back(exported{allocation, cell});
            export_places_[allocation] = static_cast<std::uint32_t>(exports_.size());
        }
    }
    /// @param later  allocations that come before the entries are made
    void reserve_exports(std::size_t room, std::size_t later = 0) {
        make_room(exports_, room);
        export_places_.reserve(model.allocation_count() + later);
    }
    [[nodiscard]] const allocation_cell* export_of(std::uint32_t allocation) const noexcept {
        const std::uint32_t place = allocation < export_places_.capacity() ? export_places_[allocation] : 0;
        return place != 0 ? &exports_[place - 1].cell : nullptr;
    }
    [[nodiscard]] const auto& exports() const noexcept { return exports_; }
    /// For a child that has moved: the graph around it has the entries now.
    void drop_exports() noexcept {
        exports_.clear();
        export_places_ = {};
    }

    // ---- graphs inside of this one: moved children and bodies of conditionals

    /// @param node  of this graph, holds the other one; there is room in `inner`
    void hold(basic_ledger* other, std::uint32_t node) noexcept {
        other->around_ = this;
        other->holder_ = node;
        inner.push_back(other);
    }
    [[nodiscard]] const basic_ledger& outermost() const noexcept { return around_ == nullptr ? *this : around_->outermost(); }
    [[nodiscard]] basic_ledger& outermost() noexcept { return around_ == nullptr ? *this : around_->outermost(); }
    [[nodiscard]] basic_ledger* around() const noexcept { return around_; }
    /// The node of the graph around this one that holds it.
    [[nodiscard]] std::uint32_t holder() const noexcept { return holder_; }

    /// The graph whose launches make an allocation, or null: the one that allocates it, or the outermost one around that.
    /// @param index  its number in the graph that made it, then in the one found
    [[nodiscard]] static basic_ledger* launcher_of(allocation_ref allocation, std::uint32_t& index) noexcept {
        basic_ledger* found = find(allocation.graph);
        while (found != nullptr && found->around_ != nullptr) {
            const std::uint32_t outside = found->around_->model.local_of(allocation);
            if (outside == basic_recorder<Lazy>::no_index) {
                break;  // freed inside
            }
            index = outside;
            found = found->around_;
        }
        return found;
    }

    /// Calls `visit` with the graph that knows the allocation of a use, the node there that stands for `user`, a node of
    /// `at`, and the allocation's number; with the graphs on the way it calls `pass`.
    template <class Visit, class Pass>
    static void resolve(basic_ledger* at, std::uint32_t user, const memory_use& use, Visit&& visit, Pass&& pass) {
        bool certain = true;
        while (at != nullptr && use.allocation.known()) {
            const std::uint32_t allocation = at->model.local_of(use.allocation);
            if (allocation != basic_recorder<Lazy>::no_index) {
                return visit(*at, user, allocation);
            }
            certain = certain && at->model.kind_of(user) != node_kind::conditional;
            if (certain) {
                pass(*at);  // not of a body: it may not run, and no graph that holds it becomes a child
            }
            user = at->holder_;
            at = at->around_;
        }
    }
    /// Uses by a new node of this graph, as the graphs around it see them (rule C9). @throws misuse [O1] [O3]
    /// @param copies  a memset or memcpy: the driver refuses those once the memory has a free node, in whatever order
    template <class What>
    void check_around(std::span<const memory_use> uses, bool copies, What&& what, source_line where) {
        for (const memory_use& use : uses) {
            if (model.local_of(use.allocation) == basic_recorder<Lazy>::no_index) {
                resolve(
                    around_, holder_, use,
                    [&](basic_ledger& there, std::uint32_t user, std::uint32_t allocation) {
                        there.model.check_late_use(user, allocation, what, where, copies);
                        there.model.reserve_late_uses(uses.size());
                    },
                    [&](basic_ledger& between) { between.model.reserve_outside(uses.size()); });
            }
        }
    }
    void commit_around(std::span<const memory_use> uses, source_line where) noexcept {
        for (const memory_use& use : uses) {
            if (model.local_of(use.allocation) == basic_recorder<Lazy>::no_index) {
                resolve(
                    around_, holder_, use,
                    [&](basic_ledger& there, std::uint32_t user, std::uint32_t allocation) {
                        there.model.commit_late_use(user, allocation, use.how);
                    },
                    [&](basic_ledger& between) { between.model.commit_outside({use, where}); });
            }
        }
    }

    /// What this graph uses of others that are there, for its launches to ask whether it is live (rule X6).
    [[nodiscard]] borrow_list find_borrows() const {
        borrow_list found;
        for (const auto& each : model.outside_uses()) {
            std::uint32_t allocation = each.use.allocation.index;
            basic_ledger* const maker = launcher_of(each.use.allocation, allocation);
            if (maker == nullptr || model.lost_nodes()) {
                continue;
            }
            const allocation_cell cell = maker->prepare_export(allocation);
            maker->commit_export(allocation, cell);
            bool known = false;
            for (const borrowed& other : found) {
                known = known || other.cell.is(cell);
            }
            if (!known) {
                found.push_back({cell, maker->model.describe(allocation), each.where});
            }
        }
        return found;
    }
    static void require_live(const borrow_list& borrows, source_line where) {
        for (const borrowed& each : borrows) {
            if (each.cell.gone()) [[unlikely]] {
                refuse_borrowed(each, where);
            }
        }
    }

    /// Memory of another device is reached with a descriptor for the graph's own alone (rule P1).
    [[gnu::noinline]] void refuse_unreachable(std::span<const memory_use> uses, int ordinal, source_line where) const {
        for (const memory_use& use : uses) {
            const std::uint32_t allocation = model.local_of(use.allocation);
            for (const remote& each : elsewhere) {
                if (each.allocation == allocation && (each.peers >> static_cast<unsigned>(ordinal) & 1) == 0) {
                    const lazy<std::string, Lazy> own = std::to_string(ordinal);
                    throw misuse("P1", model.describe(allocation) + " is on device " +
                                           std::to_string(model.device_of(allocation)) + " and not shared with device " + own +
                                           ", where this node runs\n  allocated  " + line_text(model.allocated_at(allocation)) +
                                           "\n  at         " + line_text(where) +
                                           "\n  fix: allocate it with shared_with(device{" + own + "})");
                }
            }
        }
    }

    template <class T>
    static void make_room(std::vector<T>& list, std::size_t more) {
        if (list.capacity() - list.size() < more) {
            list.reserve(2 * list.size() + more);
        }
    }

    basic_recorder<Lazy> model;
    std::vector<foreign_free> frees;
    borrow_list borrows;  // of the executable
    std::vector<remote> elsewhere;
    std::vector<basic_ledger*> inner;
    bool holds_conditional = false;
    std::uint32_t open_conditions = 0;  // made, and used by no node so far
    bool in_executable = false;
    std::string broken;  // why the graph cannot be instantiated any more, where a capture into a graph inside of it broke
    bool lost = false;   // a capture destroyed a graph inside of it: the driver crashes on what is left, even on destroying it
    bool unfinished = false;         // a kernel inside of a moved child did not get its cluster
    allocation_cell one_executable;  // live while the only one of a graph that holds a conditional is (rule C18)

private:
    [[noreturn, gnu::cold, gnu::noinline]] static void refuse_borrowed(const lazy<borrowed, Lazy>& each, source_line where) {
        throw misuse("X6",
                     "this graph uses " + each.what +
                         ", which is not live: launch the graph that allocates it first, and keep its output\n  used       " +
                         line_text(each.used) + "\n  launched   " + line_text(where));
    }

    static void lose(const orphan& memory) noexcept { current_orphan_handler()(memory); }

    static basic_ledger*& first() noexcept {
        static basic_ledger* head = nullptr;
        return head;
    }
    void enroll() noexcept {
        const spin_lock guard;
        next_ = first();
        first() = this;
    }

    std::uint32_t id_;
    std::vector<exported> exports_;
    growing<std::uint32_t, true> export_places_;  // of an allocation's entry, plus one
    basic_ledger* next_ = nullptr;
    basic_ledger* around_ = nullptr;
    std::uint32_t holder_ = 0;
};
using ledger = basic_ledger<void>;

}  // namespace detail
}  // namespace v0
}  // namespace allograph
