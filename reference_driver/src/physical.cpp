#include "physical.hpp"

#include <algorithm>

#include "objects.hpp"

namespace allograph_reference {

bool physical_memory::idle(const piece& which, const stream* on) const {
    // Work of one stream is ordered, so its next launch may take the memory at once [M4]; another stream only once the work is
    // done.
    return which.last == nullptr || which.last == on || which.last->completed >= which.position;
}

bool physical_memory::map(const std::vector<std::uint64_t>& chunks, stream* on, std::uint64_t heap_bytes) {
    if (lost())
        return false;
    std::vector<std::uint64_t> missing;
    for (const std::uint64_t chunk : chunks) {
        if (const auto found = bound_.find(chunk); found != bound_.end()) {
            pieces_[found->second].last = on;
            pieces_[found->second].position = on->issued;
        } else {
            missing.push_back(chunk);
        }
    }
    if (missing.empty())
        return true;

    const std::unordered_set<std::uint64_t> own(chunks.begin(), chunks.end());
    std::size_t next = 0;
    for (std::size_t index = 0; index < pieces_.size() && next < missing.size(); ++index) {
        piece& candidate = pieces_[index];
        if (own.contains(candidate.chunk) || live_.contains(candidate.chunk) || !idle(candidate, on))
            continue;
        bound_.erase(candidate.chunk);
        bound_.emplace(missing[next], index);
        candidate = piece{missing[next], on, on->issued};
        ++next;
    }

    const std::uint64_t fresh = (missing.size() - next) * chunk_bytes;
    if (fresh > free_bytes(heap_bytes)) {
        // Measured: everything that was left is reserved and never comes back, not even by a reset of the primary context [M2].
        lost_ = (free_bytes(heap_bytes) + used()) / chunk_bytes * chunk_bytes;
        pieces_.clear();
        bound_.clear();
        note_high();
        return false;
    }
    for (; next < missing.size(); ++next) {
        bound_.emplace(missing[next], pieces_.size());
        pieces_.push_back(piece{missing[next], on, on->issued});
    }
    note_high();
    return true;
}

void physical_memory::trim() {
    std::vector<piece> kept;
    for (const piece& each : pieces_)
        if (live_.contains(each.chunk) || !idle(each, nullptr))
            kept.push_back(each);
    pieces_ = std::move(kept);
    aliases_.clear();
    bound_.clear();
    for (std::size_t index = 0; index < pieces_.size(); ++index)
        bound_.emplace(pieces_[index].chunk, index);
}

void physical_memory::forget_stream(const stream* gone) {
    for (piece& each : pieces_)
        if (each.last == gone)
            each.last = nullptr;
}

void physical_memory::add_live(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t chunk = address / chunk_bytes; chunk <= (address + bytes - 1) / chunk_bytes; ++chunk)
        ++live_[chunk];
}

void physical_memory::remove_live(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t chunk = address / chunk_bytes; chunk <= (address + bytes - 1) / chunk_bytes; ++chunk)
        if (const auto found = live_.find(chunk); found != live_.end() && --found->second == 0)
            live_.erase(found);
}

bool physical_memory::mapped(std::uint64_t address) const {
    return bound_.contains(address / chunk_bytes) || aliases_.contains(address / chunk_bytes);
}

std::uint64_t physical_memory::used() const { return pieces_.size() * chunk_bytes; }

std::uint64_t physical_memory::free_bytes(std::uint64_t heap_bytes) const {
    const std::uint64_t taken = used() + lost_ + heap_bytes;
    return taken >= capacity_ ? returned_ : capacity_ - taken + returned_;
}

void physical_memory::note_high() {
    used_high_ = std::max(used_high_, used());
    reserved_high_ = std::max(reserved_high_, reserved());
}

}  // namespace allograph_reference
