#include "placement.hpp"

#include <algorithm>
#include <limits>

namespace allograph_reference {
namespace {

constexpr std::uint64_t granule = 512;

std::uint64_t rounded(std::uint64_t bytes) { return (bytes + granule - 1) / granule * granule; }

/// Marks the nodes ordered before `from`, until `stop` is met. True when it was.
bool search(node& from, const node* stop, std::uint64_t mark) {
    // Edges mostly run from older to newer nodes; where all of them do, nothing older than `stop` can lie behind it.
    const std::uint64_t oldest = stop != nullptr && from.owner->edges_follow_creation ? stop->id : 0;
    std::vector<node*> open{&from};
    while (!open.empty()) {
        const node& at = *open.back();
        open.pop_back();
        for (const dependency& each : at.dependencies) {
            if (each.from->mark == mark || each.from->id < oldest)
                continue;
            each.from->mark = mark;
            if (each.from == stop)
                return true;
            open.push_back(each.from);
        }
    }
    return false;
}

}  // namespace

bool ordered(node& earlier, node& later) { return earlier.owner == later.owner && search(later, &earlier, state().next_mark++); }

arena::~arena() {
    for (auto& [device, where] : regions_)
        for (const auto& [chunk, count] : where.taken)
            state().devices[static_cast<std::size_t>(device)]->graph_space.give_back(chunk, count);
}

void arena::add_range(region& where, const range& what, bool rest) {
    const auto at = where.ranges.emplace(std::pair{what.bytes, rest ? ++where.rests : --where.frees}, what).first;
    where.by_address[what.address] = at;
    where.by_end[what.address + what.bytes] = at;
}

void arena::remove_range(region& where, range_map::iterator which) {
    where.by_address.erase(which->second.address);
    where.by_end.erase(which->second.address + which->second.bytes);
    where.ranges.erase(which);
}

std::uint64_t arena::reuse(region& where, node& by, std::uint64_t bytes) {
    auto candidate = where.ranges.lower_bound({bytes, std::numeric_limits<std::int64_t>::min()});
    if (candidate == where.ranges.end() || by.dependencies.empty())
        return 0;
    // Most often the best range was left just before: the search stops there.
    const std::uint64_t mark = state().next_mark++;
    if (!search(by, candidate->second.by, mark)) {
        const std::uint64_t all = state().next_mark++;
        search(by, nullptr, all);
        while (candidate != where.ranges.end() && candidate->second.by->mark != all)
            ++candidate;
        if (candidate == where.ranges.end())
            return 0;
    }
    const range found = candidate->second;
    remove_range(where, candidate);
    if (found.bytes > bytes)
        add_range(where, range{found.address + bytes, found.bytes - bytes, found.by}, true);
    return found.address;
}

std::uint64_t arena::grow(region& where, std::uint64_t bytes, int device) {
    address_space& space = state().devices[static_cast<std::size_t>(device)]->graph_space;
    if (!where.segments.empty()) {
        segment* begun = nullptr;
        for (segment& each : where.segments)
            if (each.end - each.top >= bytes && (begun == nullptr || each.end - each.top < begun->end - begun->top))
                begun = &each;
        segment& last = begun != nullptr ? *begun : where.segments.back();
        if (last.end - last.top < bytes) {
            const std::uint64_t count = (bytes - (last.end - last.top) + chunk_bytes - 1) / chunk_bytes;
            const std::uint64_t next = last.end / chunk_bytes;
            if (space.take_at(next, count, this)) {
                where.taken.emplace_back(next, count);
                last.end += count * chunk_bytes;
            }
        }
        if (last.end - last.top >= bytes) {
            const std::uint64_t address = last.top;
            last.top += bytes;
            return address;
        }
    }
    const std::uint64_t count = (bytes + chunk_bytes - 1) / chunk_bytes;
    const std::uint64_t chunk = space.take(count, this);
    if (chunk == 0)
        return 0;
    where.taken.emplace_back(chunk, count);
    where.segments.push_back(segment{chunk, chunk * chunk_bytes + bytes, (chunk + count) * chunk_bytes});
    return chunk * chunk_bytes;
}

std::shared_ptr<allocation> arena::place(node& by, std::uint64_t bytes, int device) {
    region& where = regions_[device];
    std::uint64_t address = reuse(where, by, rounded(bytes));
    if (address == 0)
        address = grow(where, rounded(bytes), device);
    if (address == 0)
        return nullptr;
    allocation& made = allocations_.emplace_back();
    made.address = address;
    made.bytes = bytes;
    made.device = device;
    made.node_id = by.id;
    made.graph_id = by.owner->id;
    for (std::uint64_t chunk = address / chunk_bytes; chunk <= (address + bytes - 1) / chunk_bytes; ++chunk)
        by_chunk_[chunk].push_back(&made);
    return {shared_from_this(), &made};
}

void arena::freed(const std::shared_ptr<allocation>& memory, node& by) {
    region& where = regions_[memory->device];
    range left{memory->address, rounded(memory->bytes), &by};
    // A neighbour joins only if the free is ordered after the neighbour's own: then whoever may take the one may take both.
    if (const auto below = where.by_end.find(left.address);
        below != where.by_end.end() && ordered(*below->second->second.by, by)) {
        const range joined = below->second->second;
        remove_range(where, below->second);
        left = range{joined.address, joined.bytes + left.bytes, &by};
    }
    if (const auto above = where.by_address.find(left.address + left.bytes);
        above != where.by_address.end() && ordered(*above->second->second.by, by)) {
        left.bytes += above->second->second.bytes;
        remove_range(where, above->second);
    }
    add_range(where, left, false);
}

std::shared_ptr<allocation> arena::around(std::uint64_t address, const std::function<bool(const allocation&)>& wanted) const {
    const auto chunk = by_chunk_.find(address / chunk_bytes);
    if (chunk == by_chunk_.end())
        return nullptr;
    // From the latest back: it is nearly always the one that is asked for.
    for (auto each = chunk->second.rbegin(); each != chunk->second.rend(); ++each)
        if (!(*each)->stands_for_child && address >= (*each)->address && address - (*each)->address < (*each)->bytes &&
            wanted(**each))
            return {std::const_pointer_cast<arena>(shared_from_this()), *each};
    return nullptr;
}

std::map<int, std::uint64_t> arena::footprint() const {
    std::map<int, std::uint64_t> result;
    for (const auto& [chunk, list] : by_chunk_)
        if (!list.empty())
            ++result[list.front()->device];
    return result;
}

void arena::forget_owner() {
    for (allocation& each : allocations_)
        each.owner_exists = false;
    for (auto& [device, where] : regions_) {
        // The free nodes are gone with the graph, and nothing is added to it any more.
        where.ranges.clear();
        where.by_address.clear();
        where.by_end.clear();
    }
}

std::shared_ptr<allocation> find_allocation(std::uint64_t address, const std::function<bool(const allocation&)>& wanted) {
    for (const auto& device : state().devices)
        if (device->graph_space.contains(address))
            if (const arena* holder = device->graph_space.holder_of(address))
                return holder->around(address, wanted);
    return nullptr;
}

}  // namespace allograph_reference
