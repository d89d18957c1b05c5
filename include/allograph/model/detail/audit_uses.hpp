#pragma once

#include <vector>

#include <allograph/model/detail/audit_addresses.hpp>
#include <allograph/model/detail/audit_order.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Finds the allocation behind each address that a graph frees or touches.
///
/// Addresses are used again by allocations ordered after a free (rule A12). Of those that lie at an address, a node means
/// the latest that it is ordered after; where it is ordered after none, one that may live while the node runs.
class audit_uses {
public:
    static constexpr std::uint32_t none = audit_program::none;

    audit_uses(const audit_program& program, audit_order& order)
        : program_(program), order_(order), allocated_by_(nodes_of(node_kind::alloc)), addresses_(ranges()),
          freed_by_(allocated_by_.size(), none) {
        match_frees();
        touched_.reserve(program.touches.size());
        for (const audit_program::touch& t : program.touches) {
            touched_.push_back(allocated_by_.empty() ? none : find(t.address, t.node));
        }
    }

    // Allocations are numbered in an order that keeps the graph's.
    [[nodiscard]] const std::vector<std::uint32_t>& allocated_by() const noexcept { return allocated_by_; }
    [[nodiscard]] std::uint32_t freed_by(std::uint32_t allocation) const noexcept { return freed_by_[allocation]; }
    [[nodiscard]] const audit_addresses& addresses() const noexcept { return addresses_; }
    /// The allocation of each touch of the program, or `none`.
    [[nodiscard]] std::uint32_t touched(std::size_t touch) const noexcept { return touched_[touch]; }

    /// A free that frees nothing: `again` is the allocation of its address that another node frees, or `none`.
    struct idle_free {
        std::uint32_t node;
        std::uint32_t again;
    };
    [[nodiscard]] const std::vector<idle_free>& idle_frees() const noexcept { return idle_; }

    /// An allocation that has the bytes of another once that is freed, and may have them while a node runs; or `none`.
    [[nodiscard]] std::uint32_t successor(std::uint32_t freed, std::uint32_t node) {
        for (const std::uint32_t other : addresses_.beside(freed)) {
            if (other > freed && addresses_.of(other).overlaps(addresses_.of(freed)) &&
                order_.before(freed_by_[freed], allocated_by_[other]) && !order_.before(node, allocated_by_[other])) {
                return other;
            }
        }
        return none;
    }

private:
    std::vector<std::uint32_t> nodes_of(node_kind kind) const {
        std::vector<std::uint32_t> found;
        for (std::uint32_t v = 0; v < program_.nodes.size(); ++v) {
            if (program_.nodes[v].kind == kind) {
                found.push_back(v);
            }
        }
        std::sort(found.begin(), found.end(),
                  [this](std::uint32_t a, std::uint32_t b) { return order_.place(a) < order_.place(b); });
        return found;
    }
    std::vector<audit_addresses::range> ranges() const {
        std::vector<audit_addresses::range> all;
        all.reserve(allocated_by_.size());
        for (const std::uint32_t v : allocated_by_) {
            all.push_back({program_.nodes[v].address, program_.nodes[v].address + program_.nodes[v].bytes});
        }
        return all;
    }

    std::uint32_t find(std::uint64_t address, std::uint32_t node) {
        const auto candidates = addresses_.around(address);
        const std::size_t later = earlier(candidates, node);
        std::uint32_t unordered = none;
        for (std::size_t i = later; i-- > 0;) {
            const std::uint32_t a = candidates[i];
            if (addresses_.of(a).holds(address)) {
                if (order_.before(allocated_by_[a], node)) {
                    return a;  // those before it had to be freed for it
                }
                unordered = unordered == none ? a : unordered;
            }
        }
        for (std::size_t i = later; unordered == none && i < candidates.size(); ++i) {
            unordered = addresses_.of(candidates[i]).holds(address) ? candidates[i] : none;
        }
        return unordered;
    }

    void match_frees() {
        std::vector<std::uint32_t> left;
        for (const std::uint32_t f : nodes_of(node_kind::free)) {
            const auto candidates = addresses_.around(program_.nodes[f].address);
            const std::uint32_t a = first_free(f, candidates.first(earlier(candidates, f)),
                                               [&](std::uint32_t each) { return order_.before(allocated_by_[each], f); });
            if (a != none) {
                freed_by_[a] = f;
            } else {
                left.push_back(f);
            }
        }
        // Not ordered after what they free (rule O4), or freeing nothing of this graph.
        for (const std::uint32_t f : left) {
            const auto candidates = addresses_.around(program_.nodes[f].address);
            if (const std::uint32_t a = first_free(f, candidates, [](std::uint32_t) { return true; }); a != none) {
                freed_by_[a] = f;
            } else {
                idle_.push_back({f, at_address(program_.nodes[f].address)});
            }
        }
    }
    /// How many of some allocations may come before a node; they are the first ones.
    std::size_t earlier(std::span<const std::uint32_t> allocations, std::uint32_t node) const {
        const auto end =
            std::lower_bound(allocations.begin(), allocations.end(), order_.place(node),
                             [this](std::uint32_t a, std::uint32_t place) { return order_.place(allocated_by_[a]) < place; });
        return static_cast<std::size_t>(end - allocations.begin());
    }
    /// The latest allocation at a free's address that nothing frees yet and that suits.
    template <class Suits>
    std::uint32_t first_free(std::uint32_t free, std::span<const std::uint32_t> candidates, Suits&& suits) {
        const std::uint64_t address = program_.nodes[free].address;
        for (std::size_t i = candidates.size(); i-- > 0;) {
            const std::uint32_t a = candidates[i];
            if (freed_by_[a] == none && addresses_.of(a).begin == address && suits(a)) {
                return a;
            }
        }
        return none;
    }
    std::uint32_t at_address(std::uint64_t address) const {
        for (const std::uint32_t a : addresses_.around(address)) {
            if (addresses_.of(a).begin == address) {
                return a;
            }
        }
        return none;
    }

    const audit_program& program_;
    audit_order& order_;
    std::vector<std::uint32_t> allocated_by_;
    audit_addresses addresses_;
    std::vector<std::uint32_t> freed_by_;
    std::vector<std::uint32_t> touched_;
    std::vector<idle_free> idle_;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
