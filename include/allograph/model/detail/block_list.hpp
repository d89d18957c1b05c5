#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// What makes a free block dear: the bytes it leaves over for each byte taken, and how far the release of the nearer
/// neighbour is from the new block's own, for each unit of its life. Blocks that are released together become one.
struct block_policy {
    double waste = 1;
    double mismatch = 0;
    bool exact_first = false;  ///< a block that leaves nothing over is taken at once
};

/// An allocator of offsets in unbounded memory: free blocks in lists by size, neighbours merged. Constant time a call.
class block_list {
public:
    explicit block_list(block_policy policy) : policy_(policy) {}

    /// @param now, until  when the block is allocated and when it will be released
    /// @return a handle of the block
    std::uint32_t allocate(std::uint64_t size, std::uint64_t alignment, std::uint64_t now, std::uint64_t until) {
        std::uint32_t block = find(size, alignment, now, until);
        if (block == none) {
            block = grow(size, alignment);
        }
        unlink(block);
        const std::uint64_t begin = (blocks_[block].begin + alignment - 1) & ~(alignment - 1);
        if (begin != blocks_[block].begin) {
            const std::uint32_t front = block;
            block = split(front, begin);
            link(front);
        }
        if (blocks_[block].end != begin + size) {
            link(split(block, begin + size));
        }
        blocks_[block].until = until;
        return block;
    }

    void release(std::uint32_t block) {
        const std::uint32_t after = blocks_[block].after;
        if (after != none && blocks_[after].free) {
            unlink(after);
            absorb_next(block);
        }
        const std::uint32_t before = blocks_[block].before;
        if (before != none && blocks_[before].free) {
            unlink(before);
            absorb_next(before);
            link(before);
        } else {
            link(block);
        }
    }

    [[nodiscard]] std::uint64_t begin(std::uint32_t block) const noexcept { return blocks_[block].begin; }

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    static constexpr std::size_t parts = 16;  // lists for each power of two
    static constexpr std::size_t lists = 64 * parts;
    static constexpr int looks = 64;  // blocks to look at for one allocation

    struct item {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint32_t before = none, after = none;   // by address
        std::uint32_t previous = none, next = none;  // in the list of its size
        std::uint64_t until = 0;
        bool free = false;
    };

    static std::size_t list_of(std::uint64_t size) noexcept {
        if (size < parts) {
            return static_cast<std::size_t>(size);
        }
        const auto shift = static_cast<unsigned>(std::bit_width(size)) - 5U;
        return std::size_t{shift} * parts + static_cast<std::size_t>(size >> shift);
    }

    /// The cheapest of the first few blocks that may fit, smaller ones first.
    [[nodiscard]] std::uint32_t find(std::uint64_t size, std::uint64_t alignment, std::uint64_t now, std::uint64_t until) const {
        std::uint32_t best = none;
        double best_cost = 0;
        int left = looks;
        for (std::size_t list = next_used(list_of(size)); list < lists && left > 0; list = next_used(list + 1)) {
            for (std::uint32_t b = heads_[list]; b != none && left > 0; b = blocks_[b].next, --left) {
                const item& x = blocks_[b];
                if (((x.begin + alignment - 1) & ~(alignment - 1)) + size > x.end) {
                    continue;
                }
                const double cost = cost_of(x, size, now, until);
                if (best == none || cost < best_cost) {
                    best = b;
                    best_cost = cost;
                }
            }
            if (best != none && policy_.mismatch == 0) {
                break;  // later lists hold larger blocks
            }
        }
        return best;
    }

    [[nodiscard]] double cost_of(const item& x, std::uint64_t size, std::uint64_t now, std::uint64_t until) const {
        const std::uint64_t rest = x.end - x.begin - size;
        if (policy_.exact_first && rest == 0) {
            return -1;
        }
        const double waste = policy_.waste * static_cast<double>(rest) / static_cast<double>(size);
        if (policy_.mismatch == 0) {
            return waste;
        }
        const auto apart = [&](std::uint32_t neighbour) {
            const std::uint64_t other = neighbour == none ? 0 : blocks_[neighbour].until;
            return other > until ? other - until : until - other;
        };
        return waste + policy_.mismatch * static_cast<double>(std::min(apart(x.before), apart(x.after))) /
                           static_cast<double>(until - now);
    }

    [[nodiscard]] std::size_t next_used(std::size_t list) const noexcept {
        for (std::size_t word = list / 64; word < used_.size(); ++word, list = word * 64) {
            const std::uint64_t rest = used_[word] >> (list % 64);
            if (rest != 0) {
                return list + static_cast<std::size_t>(std::countr_zero(rest));
            }
        }
        return lists;
    }

    std::uint32_t grow(std::uint64_t size, std::uint64_t alignment) {
        if (last_ != none && blocks_[last_].free) {
            unlink(last_);
            const std::uint64_t at = (blocks_[last_].begin + alignment - 1) & ~(alignment - 1);
            blocks_[last_].end = at + size;
        } else {
            const std::uint64_t from = last_ == none ? 0 : blocks_[last_].end;
            const std::uint32_t block = make();
            blocks_[block].begin = from;
            blocks_[block].end = ((from + alignment - 1) & ~(alignment - 1)) + size;
            blocks_[block].before = last_;
            if (last_ != none) {
                blocks_[last_].after = block;
            }
            last_ = block;
        }
        link(last_);
        return last_;
    }

    std::uint32_t make() {
        if (!spare_.empty()) {
            const std::uint32_t block = spare_.back();
            spare_.pop_back();
            blocks_[block] = {};
            return block;
        }
        blocks_.emplace_back();
        return static_cast<std::uint32_t>(blocks_.size() - 1);
    }

    /// Cuts a block at an address. @return the upper part
    std::uint32_t split(std::uint32_t block, std::uint64_t at) {
        const std::uint32_t upper = make();
        blocks_[upper].begin = at;
        blocks_[upper].end = blocks_[block].end;
        blocks_[block].end = at;
        blocks_[upper].before = block;
        blocks_[upper].after = blocks_[block].after;
        blocks_[block].after = upper;
        if (blocks_[upper].after != none) {
            blocks_[blocks_[upper].after].before = upper;
        } else {
            last_ = upper;
        }
        return upper;
    }

    void absorb_next(std::uint32_t block) {
        const std::uint32_t gone = blocks_[block].after;
        blocks_[block].end = blocks_[gone].end;
        blocks_[block].after = blocks_[gone].after;
        if (blocks_[block].after != none) {
            blocks_[blocks_[block].after].before = block;
        } else {
            last_ = block;
        }
        spare_.push_back(gone);
    }

    void link(std::uint32_t block) {
        const std::size_t list = list_of(blocks_[block].end - blocks_[block].begin);
        blocks_[block].free = true;
        blocks_[block].previous = none;
        blocks_[block].next = heads_[list];
        if (heads_[list] != none) {
            blocks_[heads_[list]].previous = block;
        }
        heads_[list] = block;
        used_[list / 64] |= std::uint64_t{1} << (list % 64);
    }

    void unlink(std::uint32_t block) {
        const std::size_t list = list_of(blocks_[block].end - blocks_[block].begin);
        item& x = blocks_[block];
        x.free = false;
        if (x.previous != none) {
            blocks_[x.previous].next = x.next;
        } else {
            heads_[list] = x.next;
        }
        if (x.next != none) {
            blocks_[x.next].previous = x.previous;
        }
        if (heads_[list] == none) {
            used_[list / 64] &= ~(std::uint64_t{1} << (list % 64));
        }
    }

    static constexpr std::array<std::uint32_t, lists> no_heads() {
        std::array<std::uint32_t, lists> heads{};
        for (std::uint32_t& h : heads) {
            h = none;
        }
        return heads;
    }

    std::vector<item> blocks_;
    std::vector<std::uint32_t> spare_;
    std::array<std::uint32_t, lists> heads_ = no_heads();
    std::array<std::uint64_t, lists / 64> used_{};
    std::uint32_t last_ = none;
    block_policy policy_;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
