#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <allograph/model/detail/growing.hpp>
#include <allograph/model/detail/late_edges.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Who comes before whom, for graphs that grow a node at a time to hundreds of thousands of nodes.
///
/// Nodes are numbered 1, 2, 3... as they are added; 0 stands before all of them. A node's dependencies are there
/// when it is added, so the numbers are a topological order until somebody adds an edge backwards.
///
/// Programs that are right ask for paths that exist. Those are found without a search. Each node keeps its last
/// dependency as its parent in a tree; the tree is cut into chains, so that a path within a chain is a compare, and
/// chains have jump pointers (a skew-binary list), so that a path within the tree is found in O(log n) steps. For
/// paths that enter the tree further on, each node keeps its first and its last dependent. Only what is left, mostly
/// mistakes, is searched for, over the nodes between the two.
///
/// All of this is built when it is first asked for: in most programs every question is answered by an edge.
///
/// A template like the recorder: a file that builds no checked graph pays for its text alone.
template <class>
class basic_reachability {
public:
    using number = std::uint32_t;

    basic_reachability() noexcept = default;
    basic_reachability(basic_reachability&&) noexcept = default;
    basic_reachability& operator=(basic_reachability&&) noexcept = default;
    /// A copy, without the room for more and without what searches found.
    basic_reachability(const basic_reachability& other)
        : late_(other.late_), descending_(other.descending_), removed_(other.removed_),
          starts_(other.starts_, other.size_ == 0 ? 0 : other.size_ + std::size_t{2}), edges_(other.edges_, other.edge_count_),
          size_(other.size_), room_(other.size_), edge_count_(other.edge_count_) {}

    /// Nodes so far; they are the numbers from 1 to this.
    [[nodiscard]] number size() const noexcept { return size_; }

    /// Forgets every node, and keeps the room.
    void clear() noexcept {
        size_ = built_ = chain_count_ = edge_count_ = 0;
        late_ = {};
        descending_ = removed_ = false;
        forget_sweep();
    }

    /// True where `add` needs no more room.
    [[nodiscard]] bool has_room(std::size_t degree) const noexcept {
        return size_ < room_ && edge_count_ + degree <= edges_.capacity();
    }
    /// Makes room for one more node, so that `add` cannot fail.
    void reserve(std::size_t degree) {
        if (!has_room(degree)) [[unlikely]] {
            grow(degree);
        }
    }
    /// How many nodes there is room for: owners of further data for each node grow with it.
    [[nodiscard]] number room() const noexcept { return room_; }
    /// Where the dependencies of the next node go.
    [[nodiscard]] number* pending() noexcept { return edges_.data() + edge_count_; }
    [[nodiscard]] const number* pending() const noexcept { return edges_.data() + edge_count_; }

    /// Adds a node that depends on the first `degree` pending nodes.
    /// @param leaf  nothing is likely to depend on it, so that paths are not looked for through it
    number add(std::size_t degree, bool leaf) noexcept {
        const number made = ++size_;
        starts_[made] = leaf ? edge_count_ | leaf_bit : edge_count_;
        edge_count_ += static_cast<number>(degree);
        starts_[made + 1] = edge_count_;
        return made;
    }

    /// The dependencies that a node was added with; 0 where one was removed.
    [[nodiscard]] std::span<const number> dependencies(number n) const noexcept {
        return {edges_.data() + start(n), edges_.data() + start(n + 1)};
    }

    /// True where it is cheap to see that `before` is one of `nodes` or comes before one.
    [[nodiscard]] bool surely_before(number before, std::span<const number> nodes) const {
        for (const number n : nodes) {
            if (n == before) {
                return true;
            }
        }
        return on_a_path(before, nodes);
    }
    /// The same, for a node that is known not to be one of `nodes`.
    [[nodiscard]] bool on_a_path(number before, std::span<const number> nodes) const {
        constexpr std::size_t most_nodes = 8;
        constexpr int most_steps = 10;
        if (removed_) [[unlikely]] {
            return false;  // the tree may hold edges that are gone
        }
        catch_up();
        number last = 0;
        for (const number n : nodes) {
            last = n > last ? n : last;
        }
        number via = before;
        for (int step = 0; step < most_steps && via != 0; ++step) {
            if (in_tree_above(via, last)) {
                return true;
            }
            if (step < 2) {
                for (std::size_t i = 0; i < nodes.size() && i < most_nodes; ++i) {
                    if (nodes[i] != last && in_tree_above(via, nodes[i])) {
                        return true;
                    }
                }
            }
            via = next_dependent(via, last);
        }
        return false;
    }

    /// True where `before` is one of `nodes` or comes before one.
    [[nodiscard]] bool before_any(number before, std::span<const number> nodes) {
        if (surely_before(before, nodes)) {
            return true;
        }
        sweep(before, nodes);
        return swept(before);
    }

    /// Finds all nodes before any of `nodes` with a number of at least `lowest`; `swept` then knows them. A node of
    /// `nodes` itself counts only where it comes before another.
    [[gnu::noinline]] void sweep(number lowest, std::span<const number> nodes) {
        if (descending_) {
            lowest = 1;
        }
        seen_.reserve(size_ + std::size_t{1});
        if (sweep_ != 0 && lowest >= swept_down_to_ && is_last_sweep(nodes)) {
            return;  // frees at the end of a graph ask again and again
        }
        if (is_last_sweep(nodes)) {
            lowest = lowest / 2 + 1;  // again, and deeper: fewer times
        }
        stack_.reserve(size_ + std::size_t{1} + nodes.size());
        swept_nodes_.reserve(nodes.size());
        ++sweep_;
        if (sweep_ == 0) {
            std::memset(seen_.data(), 0, seen_.capacity() * sizeof(number));
            sweep_ = 1;
        }
        std::size_t waiting = 0;
        const auto visit = [&](number n) {
            if (n >= lowest && seen_[n] != sweep_) {
                seen_[n] = sweep_;
                stack_[waiting++] = n;
            }
        };
        const auto visit_dependencies = [&](number n) {
            for (const number d : dependencies(n)) {
                if (d != 0) {
                    visit(d);
                }
            }
            late_.each_source(n, visit);
        };
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            swept_nodes_[i] = nodes[i];
            if (nodes[i] >= lowest) {
                visit_dependencies(nodes[i]);
            }
        }
        while (waiting != 0) {
            visit_dependencies(stack_[--waiting]);
        }
        swept_count_ = nodes.size();
        swept_down_to_ = lowest;
    }
    [[nodiscard]] bool swept(number n) const noexcept { return seen_[n] == sweep_; }

    /// False where nothing depends on a node, so that it comes before nothing.
    [[nodiscard]] bool has_dependents(number n) const {
        catch_up();
        return entries_[n].first != 0;
    }
    /// True while every edge leads from a lower number to a higher one.
    [[nodiscard]] bool ascending() const noexcept { return !descending_; }

    [[nodiscard]] bool has_edge(number from, number to) const noexcept {
        for (const number d : dependencies(to)) {
            if (d == from) {
                return true;
            }
        }
        return late_.has(from, to);
    }
    /// Makes room for one more edge, so that `add_edge` cannot fail.
    void reserve_edge() {
        catch_up();
        late_.reserve_one(size_);
    }
    /// Adds an edge between nodes that are there.
    void add_edge(number from, number to) noexcept {
        late_.add(from, to);
        descending_ = descending_ || from > to;
        if (entries_[from].first == 0) {
            entries_[from].first = entries_[from].last = to;
        }
        forget_sweep();
    }
    void remove_edge(number from, number to) noexcept {
        for (number e = start(to); e != start(to + 1); ++e) {
            if (edges_[e] == from) {
                edges_[e] = 0;
            }
        }
        late_.remove(from, to);
        removed_ = true;
        forget_sweep();
    }
    /// Takes away every edge from and to a node.
    void remove_edges(number n) noexcept {
        for (number e = start(n); e != start(n + 1); ++e) {
            edges_[e] = 0;
        }
        for (number e = 0; e != edge_count_; ++e) {
            edges_[e] = edges_[e] == n ? 0 : edges_[e];
        }
        late_.remove_all_of(n);
        removed_ = true;
        forget_sweep();
    }

private:
    struct entry {
        number chain;
        number first;  // the first node that depends on this one; rather not a leaf
        number last;   // the last one
    };
    struct chain {
        number hangs_on;  // the parent of its first node
        number jump;      // a chain further up
        number jump_at;   // the node there through which all paths from here lead
        number depth;     // in chains
        number tail;      // its last node
    };
    static constexpr number leaf_bit = 0x80000000u;

    [[gnu::cold, gnu::noinline]] void grow(std::size_t degree) {
        edges_.reserve(edge_count_ + degree);
        if (size_ >= room_) {
            starts_.reserve(size_ + std::size_t{16});
            room_ = static_cast<number>(starts_.capacity() - 2);  // the root in front, and the end of the last one's edges
        }
    }

    /// Where the dependencies of a node begin.
    [[nodiscard]] number start(number n) const noexcept { return starts_[n] & ~leaf_bit; }

    /// Builds what paths are found by, for the nodes that came since.
    void catch_up() const {
        if (built_ != size_) {
            build();
        }
    }
    [[gnu::noinline]] void build() const {
        entries_.reserve(room_ + std::size_t{1});
        chains_.reserve(room_ + std::size_t{1});
        if (built_ == 0) {
            entries_[0] = {0, 0, 0};
            chains_[0] = {0, 0, 0, 0, 0};
            chain_count_ = 1;
        }
        while (built_ != size_) {
            const number made = ++built_;
            const bool leaf = (starts_[made] & leaf_bit) != 0;
            number parent = 0;
            for (const number d : dependencies(made)) {
                parent = d > parent ? d : parent;
            }
            entries_[made] = {place(made, parent, leaf), 0, 0};
            for (const number d : dependencies(made)) {
                entry& e = entries_[d];
                if (e.first == 0 || (!leaf && (e.first & leaf_bit) != 0)) {
                    e.first = leaf ? made | leaf_bit : made;
                }
                if (!leaf || e.last == 0) {
                    e.last = made;
                }
            }
        }
    }

    /// The chain of a new node: its parent's where the parent is the tail, else a new one.
    number place(number made, number parent, bool leaf) const noexcept {
        const number up = entries_[parent].chain;
        if (up != 0) {
            if (chains_[up].tail == parent) {
                chains_[up].tail = made;
                return up;
            }
            const number first = entries_[parent].first;
            if (!leaf && (first & leaf_bit) != 0 && chains_[up].tail == (first & ~leaf_bit) &&
                entries_[first & ~leaf_bit].first == 0) {
                // A free took the place, and nothing follows it: it makes way for what the program goes on with.
                const number freed = first & ~leaf_bit;
                entries_[freed].chain = new_chain(freed, parent);
                chains_[up].tail = made;
                return up;
            }
        }
        return new_chain(made, parent);
    }
    number new_chain(number first, number parent) const noexcept {
        const number up = entries_[parent].chain;
        const chain& above = chains_[up];
        const chain& far = chains_[above.jump];
        const bool equal_strides = above.depth - far.depth == far.depth - chains_[far.jump].depth;
        chains_[chain_count_] = {parent, equal_strides ? far.jump : up, equal_strides ? far.jump_at : parent, above.depth + 1,
                                 first};
        return chain_count_++;
    }

    /// A node behind `n` from which the tree may lead to `goal`: its last dependent, for that is the parent of most that
    /// follows; out of a chain, the tail's.
    [[nodiscard]] number next_dependent(number n, number goal) const noexcept {
        const number last = entries_[n].last;
        if (last != 0 && last <= goal && entries_[last].chain != entries_[n].chain) {
            return last;
        }
        const entry& tail = entries_[chains_[entries_[n].chain].tail];
        if (tail.last != 0 && tail.last <= goal) {
            return tail.last;
        }
        return (tail.first != 0 && (tail.first & ~leaf_bit) <= goal ? tail.first : entries_[n].first) & ~leaf_bit;
    }

    [[nodiscard]] bool in_tree_above(number before, number n) const noexcept {
        const number wanted = entries_[before].chain;
        number at = entries_[n].chain;
        while (at != wanted) {
            const chain& c = chains_[at];
            if (c.jump_at >= before) {
                n = c.jump_at;
                at = c.jump;
            } else if (c.hangs_on >= before) {
                n = c.hangs_on;
                at = entries_[n].chain;
            } else {
                return false;
            }
        }
        return before <= n;
    }
    [[nodiscard]] bool is_last_sweep(std::span<const number> nodes) const noexcept {
        if (nodes.size() != swept_count_ || swept_count_ == 0) {
            return false;
        }
        for (std::size_t i = 0; i < swept_count_; ++i) {
            if (swept_nodes_[i] != nodes[i]) {
                return false;
            }
        }
        return true;
    }
    void forget_sweep() noexcept { swept_count_ = 0; }

    mutable growing<entry> entries_;  // of the nodes up to built_
    mutable growing<chain> chains_;
    mutable number built_ = 0;
    mutable number chain_count_ = 0;

    late_edges late_;
    bool descending_ = false;
    bool removed_ = false;

    growing<number, true> seen_;  // the last sweep that found a node
    growing<number> stack_;
    growing<number> swept_nodes_;
    std::size_t swept_count_ = 0;
    number swept_down_to_ = 0;
    number sweep_ = 0;

    // Last, beside what its owner needs for every node
    growing<number> starts_;  // where the dependencies of each node begin; the highest bit marks a leaf
    growing<number> edges_;
    number size_ = 0;
    number room_ = 0;
    number edge_count_ = 0;
};
using reachability = basic_reachability<void>;

}  // namespace detail
}  // namespace v0
}  // namespace allograph
