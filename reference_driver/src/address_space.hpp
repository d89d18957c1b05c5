// Where the addresses of devices live: reserved host address space, so that host functions may use a device address as it is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace allograph_reference {

struct arena;
struct allocation;

/// Opens and closes pages. Only pages that two allocations share need a count: allocations are placed at 512 bytes, pages are
/// larger.
class page_table {
public:
    void open(std::uint64_t address, std::uint64_t bytes);
    void close(std::uint64_t address, std::uint64_t bytes);

private:
    std::unordered_map<std::uint64_t, unsigned> shared_;
};

/// The addresses of one device's graph allocations, handed out in chunks.
class address_space {
public:
    /// Reserves addresses from `preferred` if they are free in this process, else anywhere.
    void reserve(std::uint64_t preferred);
    [[nodiscard]] bool contains(std::uint64_t address) const { return address >= base_ && address - base_ < bytes_; }

    /// The lowest `count` chunks in a row that nobody holds, 0 if there are none.
    std::uint64_t take(std::uint64_t count, arena* holder);
    /// The `count` chunks from `chunk` on, if nobody holds one of them.
    bool take_at(std::uint64_t chunk, std::uint64_t count, arena* holder);
    void give_back(std::uint64_t chunk, std::uint64_t count);
    [[nodiscard]] arena* holder_of(std::uint64_t address) const;

    page_table pages;

private:
    std::uint64_t base_ = 0;
    std::uint64_t bytes_ = 0;
    std::map<std::uint64_t, std::pair<std::uint64_t, arena*>> taken_;  // first chunk: count and holder
};

/// Memory of cuMemAlloc and cuMemAllocAsync. Each allocation has pages of its own and a closed page behind it.
class heap_space {
public:
    struct block {
        std::uint64_t bytes = 0;
        std::uint64_t charged = 0;  // what it takes of the device
        std::uint64_t id = 0;
        bool asynchronous = false;
        bool managed = false;
    };
    void reserve();
    [[nodiscard]] bool contains(std::uint64_t address) const { return address >= base_ && address - base_ < bytes_; }
    std::uint64_t allocate(block what);
    void release(std::uint64_t address);
    /// The allocation around `address`; end() if there is none.
    [[nodiscard]] std::map<std::uint64_t, block>::const_iterator find(std::uint64_t address) const;
    [[nodiscard]] const std::map<std::uint64_t, block>& blocks() const { return blocks_; }
    [[nodiscard]] std::uint64_t charged() const { return charged_; }

private:
    std::uint64_t base_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t next_ = 0;
    std::uint64_t charged_ = 0;
    std::map<std::uint64_t, block> blocks_;
};

}  // namespace allograph_reference
