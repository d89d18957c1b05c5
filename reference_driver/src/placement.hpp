// Where allocation nodes get their addresses.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "driver.hpp"

namespace allograph_reference {

/// The addresses of one graph on the devices that it allocates on. Lives as long as anything refers to an allocation in it: the
/// graph, an executable, or memory that a launch left unfreed [X4].
///
/// The policy, found by replaying what one H200 answered. It gives the measured bytes for all eleven traces of buffer lifetimes
/// (chains) and for 10 of 12 random graphs; in the other two it reuses up to 5 percent less than the real driver.
///  - sizes are rounded up to 512 bytes;
///  - a range that a free node left behind may be taken by an allocation ordered after that node, at the time when the allocation
///  is added;
///  - of the ranges that are large enough the smallest wins, among equals the one freed last, and what a split left over
///    only if there is no other;
///  - the allocation takes the low end, the rest stays a range of the same free node;
///  - a free joins its range with the neighbours whose free nodes it is ordered after; two frees that no edge orders are never
///  joined;
///  - where nothing fits, new addresses follow those of the graph: in the begun chunks with the least room that suffices, else
///  behind the
///    latest, else in the lowest chunks that are free.
struct arena : std::enable_shared_from_this<arena> {
    arena() = default;
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena();

    /// Places `bytes` for `by`, whose dependencies are set. Null when the device has no addresses left.
    std::shared_ptr<allocation> place(node& by, std::uint64_t bytes, int device);

    /// Lets later nodes reuse the allocation.
    void freed(const std::shared_ptr<allocation>& memory, node& by);

    /// The latest allocation that holds the byte at `address` and that `wanted` accepts. Null if there is none.
    [[nodiscard]] std::shared_ptr<allocation> around(std::uint64_t address,
                                                     const std::function<bool(const allocation&)>& wanted) const;

    /// Chunks that the allocations touch, by device.
    [[nodiscard]] std::map<int, std::uint64_t> footprint() const;

    void forget_owner();

private:
    struct range {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        node* by = nullptr;  // the free node that left it
    };
    // By size, then by preference: frees count down, rests of a split count up.
    using range_map = std::map<std::pair<std::uint64_t, std::int64_t>, range>;
    struct segment {
        std::uint64_t chunk = 0;
        std::uint64_t top = 0;
        std::uint64_t end = 0;
    };
    struct region {
        std::vector<segment> segments;
        std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;  // chunks and counts, to give back
        range_map ranges;
        std::int64_t frees = 0;
        std::int64_t rests = 0;
        std::map<std::uint64_t, range_map::iterator> by_address;
        std::map<std::uint64_t, range_map::iterator> by_end;
    };
    void add_range(region& where, const range& what, bool rest);
    void remove_range(region& where, range_map::iterator which);
    std::uint64_t reuse(region& where, node& by, std::uint64_t bytes);
    std::uint64_t grow(region& where, std::uint64_t bytes, int device);

    std::map<int, region> regions_;
    std::deque<allocation> allocations_;
    std::unordered_map<std::uint64_t, std::vector<allocation*>> by_chunk_;
};

/// Whether `earlier` is ordered before `later`, through any path.
bool ordered(node& earlier, node& later);

/// The latest allocation of any graph that holds the byte at `address` and that `wanted` accepts. Null if there is none.
std::shared_ptr<allocation> find_allocation(std::uint64_t address, const std::function<bool(const allocation&)>& wanted);

}  // namespace allograph_reference
