#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <allograph/model/detail/message.hpp>
#include <allograph/model/source_line.hpp>

namespace allograph {
inline namespace v0 {

/// Where every allocation of a program that stays inside lies: a value, which needs neither the program nor a GPU, and
/// can be printed, saved, drawn, and built.
///
/// All sizes and offsets are in bytes. Allocations are numbered here in the order in which the program adds them, the
/// planned ones alone.
class memory_plan {
public:
    /// The one allocation of a device that holds the planned ones.
    struct arena {
        int device = 0;                 ///< ordinal; -1 for the one that `build` names
        std::uint64_t bytes = 0;        ///< what the one allocation takes
        std::uint64_t lower_bound = 0;  ///< no plan takes fewer
        std::uint64_t sum = 0;          ///< what the allocations take if none shares
        bool optimal = false;           ///< proven: no plan takes fewer bytes than this one
    };

    /// The place of one allocation.
    struct allocation {
        std::uint64_t offset = 0;          ///< in its arena
        std::uint64_t bytes = 0;           ///< as asked for
        std::uint64_t count = 0;           ///< elements
        std::uint32_t number = 0;          ///< among all allocations of the program, outputs included
        std::uint32_t arena = 0;           ///< its number among `arenas()`
        std::uint32_t from = 0;            ///< place of the allocation in one order that the program may run in
        std::uint32_t to = 0;              ///< place of the free in that order
        std::string label;                 ///< empty where it has none
        std::uint32_t type = 0;            ///< number of the element type's name among the plan's texts
        std::uint32_t allocated_file = 0;  ///< number of the file's name among the plan's texts
        std::uint32_t allocated_line = 0;  ///< of the call that allocates
        std::uint32_t freed_file = 0;      ///< number of the file's name among the plan's texts
        std::uint32_t freed_line = 0;      ///< of the call that frees
    };

    /// Order that the program does not ask for, added to make it fit: one allocation's free before another allocation.
    struct added_edge {
        std::uint32_t freed;      ///< number of the allocation whose free comes first
        std::uint32_t allocated;  ///< number of the one that waits for it
    };

    /// What a plan is made of; `plan` and `load` fill it.
    struct parts {
        std::vector<arena> arenas;              ///< one a device
        std::vector<allocation> allocations;    ///< in the order of the program
        std::vector<added_edge> edges;          ///< none without `fit`
        std::vector<std::string> texts;         ///< names of types and files
        std::uint64_t alignment = 1;            ///< of all offsets, in bytes
        std::uint64_t short_by = 0;             ///< bytes above the limit of `fit`
        std::uint32_t program_nodes = 0;        ///< all of the program
        std::uint32_t program_allocations = 0;  ///< all of the program, outputs included
    };

    /// A plan of nothing.
    memory_plan() = default;
    /// A plan of these parts, which are not checked before it is built.
    explicit memory_plan(parts&& whole) noexcept : parts_(static_cast<parts&&>(whole)) {}

    /// One for each device that holds planned allocations.
    [[nodiscard]] std::span<const arena> arenas() const noexcept { return parts_.arenas; }
    /// In the order in which the program adds them.
    [[nodiscard]] std::span<const allocation> allocations() const noexcept { return parts_.allocations; }
    /// Order that `fit` added; none otherwise.
    [[nodiscard]] std::span<const added_edge> added_edges() const noexcept { return parts_.edges; }

    /// What the arenas of all devices take together; the others likewise.
    [[nodiscard]] std::uint64_t arena_bytes() const noexcept { return total(&arena::bytes); }
    /// Bytes that no plan goes under: of all arenas, the heaviest sets of allocations that may live together.
    [[nodiscard]] std::uint64_t lower_bound() const noexcept { return total(&arena::lower_bound); }
    /// Bytes that the planned allocations take if none shares.
    [[nodiscard]] std::uint64_t sum() const noexcept { return total(&arena::sum); }
    /// Bytes by the lower bound: 1 is the best there is.
    [[nodiscard]] double ratio() const noexcept {
        const std::uint64_t bound = lower_bound();
        return bound == 0 ? 1.0 : static_cast<double>(arena_bytes()) / static_cast<double>(bound);
    }
    /// Proven: no plan of this program, with the added edges, takes fewer bytes.
    [[nodiscard]] bool optimal() const noexcept {
        for (const arena& each : parts_.arenas) {
            if (!each.optimal) {
                return false;
            }
        }
        return true;
    }
    /// What all offsets are a multiple of.
    [[nodiscard]] std::uint64_t alignment() const noexcept { return parts_.alignment; }

    /// False where `fit(bytes)` was asked for and no order was found that brings the plan under it.
    [[nodiscard]] bool fits() const noexcept { return parts_.short_by == 0; }
    /// By how many bytes the largest excess of an arena fails the limit.
    [[nodiscard]] std::uint64_t short_by() const noexcept { return parts_.short_by; }

    /// Of the program: its nodes and allocations, all of them.
    [[nodiscard]] std::uint32_t program_nodes() const noexcept { return parts_.program_nodes; }
    /// All allocations of the program, those that leave it included.
    [[nodiscard]] std::uint32_t program_allocations() const noexcept { return parts_.program_allocations; }

    /// "x: float[1048576], 4 MiB"
    [[nodiscard]] std::string describe(std::size_t which) const {
        const allocation& a = parts_.allocations[which];
        return (a.label.empty() ? std::string() : a.label + ": ") + parts_.texts[a.type] + "[" + std::to_string(a.count) + "], " +
               detail::bytes_text(a.bytes);
    }
    /// The lines of the program, valid as long as the plan.
    [[nodiscard]] source_line allocated_at(std::size_t which) const noexcept {
        const allocation& a = parts_.allocations[which];
        return {parts_.texts[a.allocated_file].c_str(), a.allocated_line};
    }
    /// The line that frees, valid as long as the plan.
    [[nodiscard]] source_line freed_at(std::size_t which) const noexcept {
        const allocation& a = parts_.allocations[which];
        return {parts_.texts[a.freed_file].c_str(), a.freed_line};
    }

    /// Two allocations have bytes in common; the one is freed before the other is allocated then.
    [[nodiscard]] bool share_bytes(std::size_t a, std::size_t b) const noexcept {
        const allocation& x = parts_.allocations[a];
        const allocation& y = parts_.allocations[b];
        return a != b && x.arena == y.arena && x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
    }
    /// The numbers of the allocations that have bytes in common with one.
    [[nodiscard]] std::vector<std::uint32_t> sharing_with(std::size_t which) const {
        std::vector<std::uint32_t> others;
        for (std::uint32_t i = 0; i < parts_.allocations.size(); ++i) {
            if (share_bytes(which, i)) {
                others.push_back(i);
            }
        }
        return others;
    }

    /// A summary line, one for each arena of several, then the added edges and every allocation.
    [[nodiscard]] std::string text() const;

    /// The plan as text that `load` takes.
    [[nodiscard]] std::string save() const;
    /// @throws std::runtime_error naming the line and what is wrong there. Whether a plan is one of a program is
    ///         checked when it is built
    [[nodiscard]] static memory_plan load(std::string_view text);

    /// A picture: addresses upwards, the order of the program from left to right, a bar an allocation, the peak marked.
    [[nodiscard]] std::string svg() const;

private:
    [[nodiscard]] std::uint64_t total(std::uint64_t arena::* what) const noexcept {
        std::uint64_t bytes = 0;
        for (const arena& each : parts_.arenas) {
            bytes += each.*what;
        }
        return bytes;
    }

    parts parts_;
};

}  // namespace v0
}  // namespace allograph

#include <allograph/model/memory_plan_text.hpp>
#include <allograph/model/plan_svg.hpp>
