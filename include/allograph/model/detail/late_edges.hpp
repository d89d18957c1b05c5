#pragma once

#include <cstddef>
#include <cstdint>

#include <allograph/model/detail/growing.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Edges that came after their nodes, as a list for each node. Few programs have any.
class late_edges {
public:
    using number = std::uint32_t;

    late_edges() noexcept = default;
    late_edges(late_edges&&) noexcept = default;
    late_edges& operator=(late_edges&&) noexcept = default;
    late_edges(const late_edges& other)
        : last_(other.last_, other.last_.capacity()), edges_(other.edges_, other.count_), count_(other.count_) {}

    /// Makes room for one more, so that `add` cannot fail. @param nodes  how many there are
    void reserve_one(number nodes) {
        edges_.reserve(count_ + std::size_t{1});
        last_.reserve(nodes + std::size_t{1});
    }
    void add(number from, number to) noexcept {
        edges_[count_] = {from, last_[to]};
        last_[to] = ++count_;
    }
    [[nodiscard]] bool has(number from, number to) const noexcept {
        bool found = false;
        each_source(to, [&](number n) { found = found || n == from; });
        return found;
    }
    template <class Visit>
    void each_source(number to, Visit&& visit) const {
        if (count_ == 0 || to >= last_.capacity()) {
            return;
        }
        for (number e = last_[to]; e != 0; e = edges_[e - 1].next) {
            if (edges_[e - 1].from != 0) {
                visit(edges_[e - 1].from);
            }
        }
    }
    void remove(number from, number to) noexcept {
        if (to < last_.capacity()) {
            for (number e = last_[to]; e != 0; e = edges_[e - 1].next) {
                edges_[e - 1].from = edges_[e - 1].from == from ? 0 : edges_[e - 1].from;
            }
        }
    }
    void remove_all_of(number n) noexcept {
        for (number e = 0; e != count_; ++e) {
            edges_[e].from = edges_[e].from == n ? 0 : edges_[e].from;
        }
        if (n < last_.capacity()) {
            last_[n] = 0;
        }
    }

private:
    struct edge {
        number from;  // 0: removed
        number next;  // a further one to the same node, as a place in edges_, plus one
    };
    growing<number, true> last_;  // the first of a node's list, in the same way
    growing<edge> edges_;
    number count_ = 0;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
