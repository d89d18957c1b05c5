// Physical memory of one device, counted in chunks and bound to addresses.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace allograph_reference {

struct stream;

class physical_memory {
public:
    /// Bytes that a program finds free when it has a context and nothing else.
    void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }

    /// Maps every chunk of `chunks` for work on `on`. False when the memory is not there: then all of it is lost for good [M2].
    bool map(const std::vector<std::uint64_t>& chunks, stream* on, std::uint64_t heap_bytes);
    /// Remembers chunks of moved children, which share memory that is mapped already.
    void map_aliases(const std::vector<std::uint64_t>& chunks) { aliases_.insert(chunks.begin(), chunks.end()); }
    /// Gives back what no live allocation and no unfinished launch needs [M5].
    void trim();
    void forget_stream(const stream* gone);

    void add_live(std::uint64_t address, std::uint64_t bytes);
    void remove_live(std::uint64_t address, std::uint64_t bytes);
    [[nodiscard]] bool mapped(std::uint64_t address) const;

    [[nodiscard]] bool lost() const { return lost_ != 0; }
    [[nodiscard]] std::uint64_t free_bytes(std::uint64_t heap_bytes) const;
    [[nodiscard]] std::uint64_t used() const;
    [[nodiscard]] std::uint64_t reserved() const { return used() + lost_; }
    [[nodiscard]] std::uint64_t used_high() const { return used_high_; }
    [[nodiscard]] std::uint64_t reserved_high() const { return reserved_high_; }
    void reset_used_high() { used_high_ = used(); }
    void reset_reserved_high() { reserved_high_ = reserved(); }
    void give_back_after_reset(std::uint64_t bytes) { returned_ = bytes; }

private:
    struct piece {
        std::uint64_t chunk = 0;  // the addresses it is bound to
        stream* last = nullptr;   // whose work used it last
        std::uint64_t position = 0;
    };
    [[nodiscard]] bool idle(const piece& which, const stream* on) const;
    void note_high();

    std::uint64_t capacity_ = 0;
    std::uint64_t lost_ = 0;
    std::uint64_t returned_ = 0;
    std::uint64_t used_high_ = 0;
    std::uint64_t reserved_high_ = 0;
    std::vector<piece> pieces_;
    std::unordered_map<std::uint64_t, std::size_t> bound_;  // chunk: index of its piece
    std::unordered_set<std::uint64_t> aliases_;
    std::unordered_map<std::uint64_t, std::size_t> live_;  // chunk: live allocations that touch it
};

}  // namespace allograph_reference
