#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <allograph/model/detail/interval_order.hpp>
#include <allograph/model/detail/order_index.hpp>

namespace allograph {
inline namespace v0 {
namespace model {

/// A buffer of a program whose steps are in a total order.
struct interval_buffer {
    std::uint64_t size;           ///< in bytes; a buffer of none conflicts with nothing
    std::uint64_t alignment = 1;  ///< in bytes, a power of two
    lifetime live;                ///< in steps
};

/// A buffer of a graph: allocated by one node and freed by one ordered after it, or by the same node.
struct graph_buffer {
    std::uint64_t size;           ///< in bytes; a buffer of none conflicts with nothing
    std::uint64_t alignment = 1;  ///< in bytes, a power of two
    std::uint32_t alloc_node;     ///< number of the node that allocates it
    std::uint32_t free_node;      ///< number of the node that frees it
};

/// What has to be placed: buffers and which of them may share bytes.
///
/// Two buffers may share bytes only if the free of one is ordered before the allocation of the other: on a line, one's
/// upper end is at most the other's lower end; in a graph, a path of at least one edge leads from the one node to the
/// other. A graph in which the buffers' lifetimes are in effect intervals is recognised and becomes a line.
class placement_problem {
public:
    placement_problem() = default;

    /// @throws std::invalid_argument if an alignment is not a power of two, a lifetime is empty, or sizes add up to
    ///         2^62 bytes or more
    [[nodiscard]] static placement_problem of_intervals(std::span<const interval_buffer> buffers) {
        placement_problem p;
        p.reserve(buffers.size());
        p.lifetimes_.reserve(buffers.size());
        for (const interval_buffer& b : buffers) {
            p.add(b.size, b.alignment);
            if (b.live.lower >= b.live.upper) {
                throw std::invalid_argument("placement_problem: a lifetime is empty");
            }
            p.lifetimes_.push_back(b.live);
        }
        return p;
    }

    /// @param nodes  number of nodes; edges and buffers name them from 0
    /// @param edges  (before, after) pairs, duplicates allowed
    /// @throws std::invalid_argument as above, or if a node is out of range, the edges have a cycle, or a free is found
    ///         not to be ordered after its allocation
    [[nodiscard]] static placement_problem of_graph(std::uint32_t nodes, std::span<const order_edge> edges,
                                                    std::span<const graph_buffer> buffers) {
        placement_problem p;
        p.reserve(buffers.size());
        const bool line = detail::is_one_line(nodes, edges);
        if (!line) {
            p.order_ = detail::order_index(nodes, edges);
        }
        p.ends_.reserve(buffers.size());
        for (const graph_buffer& b : buffers) {
            p.add(b.size, b.alignment);
            if (b.alloc_node >= nodes || b.free_node >= nodes) {
                throw std::invalid_argument("placement_problem: a buffer names a node that does not exist");
            }
            if (line ? b.alloc_node > b.free_node
                     : p.order_.exact() && b.alloc_node != b.free_node && !p.order_.before(b.alloc_node, b.free_node)) {
                throw std::invalid_argument("placement_problem: a free is not ordered after its allocation");
            }
            p.ends_.push_back({b.alloc_node, b.free_node});
        }
        if (line) {
            detail::intervals_of_line(nodes, p.ends_, p.lifetimes_);
            p.ends_ = {};
        } else if (detail::find_intervals(p.order_, p.ends_, p.lifetimes_)) {
            p.order_ = {};
            p.ends_ = {};
        } else {
            p.total_ = false;
        }
        return p;
    }

    /// How many buffers there are.
    [[nodiscard]] std::size_t size() const noexcept { return sizes_.size(); }
    /// Bytes of a buffer.
    [[nodiscard]] std::uint64_t size_of(std::size_t buffer) const noexcept { return sizes_[buffer]; }
    /// What the offset of a buffer is a multiple of, in bytes.
    [[nodiscard]] std::uint64_t alignment_of(std::size_t buffer) const noexcept {
        return std::uint64_t{1} << alignments_[buffer];
    }
    /// The first offset from here on that suits a buffer.
    [[nodiscard]] std::uint64_t align_up(std::size_t buffer, std::uint64_t offset) const noexcept {
        const std::uint64_t a = alignment_of(buffer);
        return (offset + a - 1) & ~(a - 1);
    }
    /// All sizes added up: what the buffers take if none shares.
    [[nodiscard]] std::uint64_t total() const noexcept { return sum_; }

    /// The lifetimes are intervals; `lifetimes()` holds them.
    [[nodiscard]] bool is_line() const noexcept { return total_; }
    /// Of each buffer of a line.
    [[nodiscard]] std::span<const lifetime> lifetimes() const noexcept { return lifetimes_; }

    /// Of a problem that is not a line: the order of the nodes, and each buffer's two nodes.
    [[nodiscard]] const detail::order_index& order() const noexcept { return order_; }
    /// Of each buffer of a graph: the nodes that allocate and free it.
    [[nodiscard]] std::span<const detail::node_pair> ends() const noexcept { return ends_; }

    /// The two buffers must not share bytes. Errs to true in graphs of very many nodes in very many chains.
    [[nodiscard]] bool conflict(std::size_t a, std::size_t b) const noexcept {
        if (sizes_[a] == 0 || sizes_[b] == 0) {
            return false;
        }
        return !ordered(a, b) && !ordered(b, a);
    }

    /// The free of `a` is ordered before the allocation of `b`.
    [[nodiscard]] bool ordered(std::size_t a, std::size_t b) const noexcept {
        return total_ ? lifetimes_[a].upper <= lifetimes_[b].lower : order_.before(ends_[a].free_node, ends_[b].alloc_node);
    }

private:
    void reserve(std::size_t buffers) {
        if (buffers >= UINT32_MAX / 2) {
            throw std::invalid_argument("placement_problem: too many buffers");
        }
        sizes_.reserve(buffers);
        alignments_.reserve(buffers);
    }

    void add(std::uint64_t size, std::uint64_t alignment) {
        if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
            throw std::invalid_argument("placement_problem: an alignment is not a power of two");
        }
        constexpr std::uint64_t limit = std::uint64_t{1} << 62U;
        // Every offset stays below the sum of sizes and alignments, so that no later sum can overflow.
        if (size >= limit || alignment >= limit || size + alignment >= limit - padded_) {
            throw std::invalid_argument("placement_problem: the sizes add up to too much");
        }
        padded_ += size + alignment;
        sum_ += size;
        sizes_.push_back(size);
        alignments_.push_back(static_cast<std::uint8_t>(std::countr_zero(alignment)));
    }

    std::vector<std::uint64_t> sizes_;
    std::vector<std::uint8_t> alignments_;  // as powers of two
    std::vector<lifetime> lifetimes_;
    std::vector<detail::node_pair> ends_;
    detail::order_index order_;
    std::uint64_t sum_ = 0;
    std::uint64_t padded_ = 0;
    bool total_ = true;
};

}  // namespace model
}  // namespace v0
}  // namespace allograph
