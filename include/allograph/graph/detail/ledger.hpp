#pragma once

#include <string>
#include <vector>

#include <allograph/graph/detail/allocation_cell.hpp>
#include <allograph/graph/detail/spin_lock.hpp>
#include <allograph/model/recorder.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// What a checked graph remembers besides its nodes: which allocations outlive a launch, and which allocations of
/// other graphs it frees. Every live ledger can be found by its graph's id, so that one graph can give the
/// allocation of another its fate.
class ledger {
public:
    struct exported {
        std::uint32_t allocation;
        allocation_cell cell;
    };
    struct foreign_free {
        allocation_cell cell;
        std::string what;
        source_line freed;
    };

    explicit ledger(std::uint32_t id) : model(id), id_(id) { enroll(); }
    ledger(std::uint32_t id, recorder&& copied) : model(std::move(copied)), id_(id) { enroll(); }
    ledger(const ledger&) = delete;
    ledger& operator=(const ledger&) = delete;
    ~ledger() {
        const spin_lock guard;
        ledger** link = &first();
        while (*link != this) {
            link = &(*link)->next_;
        }
        *link = next_;
    }

    /// The ledger of a graph that is alive, or null.
    static ledger* find(std::uint32_t id) noexcept {
        const spin_lock guard;
        ledger* each = first();
        while (each != nullptr && each->id_ != id) {
            each = each->next_;
        }
        return each;
    }

    [[nodiscard]] std::uint32_t id() const noexcept { return id_; }

    /// The cell of an allocation whose memory outlives a launch. Two steps, so that the second cannot fail: a cell
    /// found or made, with room for it; then its entry.
    [[nodiscard]] allocation_cell prepare_export(std::uint32_t allocation, std::size_t room = 1) {
        if (const allocation_cell* known = export_of(allocation)) {
            return *known;
        }
        make_room(exports, room);
        return allocation_cell::make();
    }
    void commit_export(std::uint32_t allocation, const allocation_cell& cell) noexcept {
        if (export_of(allocation) == nullptr) {
            exports.push_back(exported{allocation, cell});
        }
    }
    [[nodiscard]] const allocation_cell* export_of(std::uint32_t allocation) const noexcept {
        for (const exported& each : exports) {
            if (each.allocation == allocation) {
                return &each.cell;
            }
        }
        return nullptr;
    }

    template <class T>
    static void make_room(std::vector<T>& list, std::size_t more) {
        if (list.capacity() - list.size() < more) {
            list.reserve(2 * list.size() + more);
        }
    }

    recorder model;
    std::vector<exported> exports;
    std::vector<foreign_free> frees;

private:
    static ledger*& first() noexcept {
        static ledger* head = nullptr;
        return head;
    }
    void enroll() noexcept {
        const spin_lock guard;
        next_ = first();
        first() = this;
    }

    std::uint32_t id_;
    ledger* next_ = nullptr;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
