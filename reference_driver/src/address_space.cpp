#include "address_space.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "objects.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace allograph_reference {
namespace {

constexpr std::uint64_t page_bytes = 4096;

std::uint64_t down(std::uint64_t value) { return value / page_bytes * page_bytes; }
std::uint64_t up(std::uint64_t value) { return down(value + page_bytes - 1); }

void protect(std::uint64_t begin, std::uint64_t end, int mode) {
    if (begin < end)
        mprotect(reinterpret_cast<void*>(begin), end - begin, mode);
}

std::uint64_t reserve_addresses(std::uint64_t preferred, std::uint64_t bytes) {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* wanted = reinterpret_cast<void*>(preferred);
    void* got = mmap(wanted, bytes, PROT_NONE, preferred != 0 ? flags | MAP_FIXED_NOREPLACE : flags, -1, 0);
    if (got == MAP_FAILED)
        return 0;
    if (preferred != 0 && got != wanted) {
        munmap(got, bytes);
        return 0;
    }
    return reinterpret_cast<std::uint64_t>(got);
}

}  // namespace

void page_table::open(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t first = down(address);
    const std::uint64_t end = up(address + bytes);
    protect(first, end, PROT_READ | PROT_WRITE);
    // Inner pages belong to this allocation alone.
    if (first != address || first + page_bytes > address + bytes)
        ++shared_[first];
    const std::uint64_t last = end - page_bytes;
    if (last != first && end != address + bytes)
        ++shared_[last];
}

void page_table::close(std::uint64_t address, std::uint64_t bytes) {
    std::uint64_t first = down(address);
    std::uint64_t end = up(address + bytes);
    const std::uint64_t last = end - page_bytes;
    const bool one_page = last == first;
    const auto drop = [this](std::uint64_t page) {
        const auto found = shared_.find(page);
        if (found == shared_.end())
            return true;
        if (--found->second != 0)
            return false;
        shared_.erase(found);
        return true;
    };
    if (!one_page && end != address + bytes && !drop(last))
        end -= page_bytes;
    if ((first != address || first + page_bytes > address + bytes) && !drop(first))
        first += page_bytes;
    protect(first, end, PROT_NONE);
}

void address_space::reserve(std::uint64_t preferred) {
    // The real driver starts at 0x302000000. Sanitizers keep some of that space for themselves, so less and then other addresses
    // are tried.
    constexpr std::array<std::uint64_t, 5> sizes{std::uint64_t{1} << 40, std::uint64_t{256} << 30, std::uint64_t{64} << 30,
                                                 std::uint64_t{16} << 30, std::uint64_t{4} << 30};
    for (const std::uint64_t size : sizes) {
        if (size < (std::uint64_t{256} << 30))
            break;
        base_ = reserve_addresses(preferred, size);
        bytes_ = size;
        if (base_ != 0)
            return;
    }
    for (const std::uint64_t size : sizes) {
        const std::uint64_t raw = reserve_addresses(0, size);
        if (raw == 0)
            continue;
        base_ = (raw + chunk_bytes - 1) / chunk_bytes * chunk_bytes;
        bytes_ = size - chunk_bytes;
        return;
    }
    base_ = bytes_ = 0;
}

std::uint64_t address_space::take(std::uint64_t count, arena* holder) {
    std::uint64_t chunk = base_ / chunk_bytes;
    for (const auto& [first, taken] : taken_) {
        if (first - chunk >= count)
            break;
        chunk = first + taken.first;
    }
    return take_at(chunk, count, holder) ? chunk : 0;
}

bool address_space::take_at(std::uint64_t chunk, std::uint64_t count, arena* holder) {
    const std::uint64_t end = (base_ + bytes_) / chunk_bytes;
    if (base_ == 0 || chunk >= end || count > end - chunk)
        return false;
    const auto next = taken_.lower_bound(chunk);
    if (next != taken_.end() && next->first < chunk + count)
        return false;
    if (next != taken_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second.first > chunk)
            return false;
    }
    taken_.emplace(chunk, std::pair{count, holder});
    return true;
}

void address_space::give_back(std::uint64_t chunk, std::uint64_t count) {
    taken_.erase(chunk);
    // Drops the contents, so that a long test run keeps no host memory.
    void* start = reinterpret_cast<void*>(chunk * chunk_bytes);
    mprotect(start, count * chunk_bytes, PROT_NONE);
    madvise(start, count * chunk_bytes, MADV_DONTNEED);
}

arena* address_space::holder_of(std::uint64_t address) const {
    const std::uint64_t chunk = address / chunk_bytes;
    const auto next = taken_.upper_bound(chunk);
    if (next == taken_.begin())
        return nullptr;
    const auto found = std::prev(next);
    return chunk < found->first + found->second.first ? found->second.second : nullptr;
}

void heap_space::reserve() {
    for (std::uint64_t size = std::uint64_t{1} << 40; size >= std::uint64_t{4} << 30; size /= 4) {
        base_ = next_ = reserve_addresses(0, size);
        bytes_ = size;
        if (base_ != 0)
            return;
    }
}

std::uint64_t heap_space::allocate(block what) {
    const std::uint64_t span = up(what.bytes) + page_bytes;  // one page stays closed behind it
    if (next_ + span > base_ + bytes_)
        next_ = base_;
    std::uint64_t address = next_;
    for (auto at = blocks_.lower_bound(address); at != blocks_.end() && at->first < address + span; ++at)
        address = up(at->first + at->second.bytes) + page_bytes;
    if (address + span > base_ + bytes_)
        return 0;
    next_ = address + span;
    protect(address, address + up(what.bytes), PROT_READ | PROT_WRITE);
    charged_ += what.charged;
    blocks_.emplace(address, what);
    return address;
}

void heap_space::release(std::uint64_t address) {
    const auto found = blocks_.find(address);
    charged_ -= found->second.charged;
    const std::uint64_t bytes = up(found->second.bytes);
    blocks_.erase(found);
    protect(address, address + bytes, PROT_NONE);
    madvise(reinterpret_cast<void*>(address), bytes, MADV_DONTNEED);
}

std::map<std::uint64_t, heap_space::block>::const_iterator heap_space::find(std::uint64_t address) const {
    auto found = blocks_.upper_bound(address);
    if (found == blocks_.begin())
        return blocks_.end();
    --found;
    return address < found->first + found->second.bytes ? found : blocks_.end();
}

}  // namespace allograph_reference
