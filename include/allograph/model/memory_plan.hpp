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
        int device = 0;
        std::uint64_t bytes = 0;
        std::uint64_t lower_bound = 0;  ///< no plan takes fewer
        std::uint64_t sum = 0;          ///< what the allocations take if none shares
        bool optimal = false;           ///< proven: no plan takes fewer bytes than this one
    };

    struct allocation {
        std::uint64_t offset = 0;  ///< in its arena
        std::uint64_t bytes = 0;   ///< as asked for
        std::uint64_t count = 0;   ///< elements
        std::uint32_t number = 0;  ///< among all allocations of the program, outputs included
        std::uint32_t arena = 0;
        std::uint32_t from = 0;  ///< places of the allocation and of the free in one order that the program may run in
        std::uint32_t to = 0;
        std::string label;
        std::uint32_t type = 0;  // in the plan's texts, like the files
        std::uint32_t allocated_file = 0;
        std::uint32_t allocated_line = 0;
        std::uint32_t freed_file = 0;
        std::uint32_t freed_line = 0;
    };

    /// Order that the program does not ask for, added to make it fit: one allocation's free before another allocation.
    struct added_edge {
        std::uint32_t freed;
        std::uint32_t allocated;
    };

    struct parts {
        std::vector<arena> arenas;
        std::vector<allocation> allocations;
        std::vector<added_edge> edges;
        std::vector<std::string> texts;  // names of types and files
        std::uint64_t alignment = 1;
        std::uint64_t short_by = 0;
        std::uint32_t program_nodes = 0;
        std::uint32_t program_allocations = 0;
    };

    memory_plan() = default;
    explicit memory_plan(parts&& whole) noexcept : parts_(static_cast<parts&&>(whole)) {}

    [[nodiscard]] std::span<const arena> arenas() const noexcept { return parts_.arenas; }
    [[nodiscard]] std::span<const allocation> allocations() const noexcept { return parts_.allocations; }
    [[nodiscard]] std::span<const added_edge> added_edges() const noexcept { return parts_.edges; }

    /// What the arenas of all devices take together; the others likewise.
    [[nodiscard]] std::uint64_t arena_bytes() const noexcept { return total(&arena::bytes); }
    [[nodiscard]] std::uint64_t lower_bound() const noexcept { return total(&arena::lower_bound); }
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
