#pragma once

#include <utility>
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
        : program_(program), order_(order), allocated_by_(nodes_of(node_kind::alloc)), ascending_(is_ascending()),
          addresses_(ranges()), freed_by_(allocated_by_.size(), none) {
        match_frees();
        touched_.reserve(program.touches.size());
        for (const audit_program::touch& t : program.touches) {
            touched_.push_back(allocated_by_.empty() ? none : find(t.address, t.node));
        }
    }

    // Allocations are numbered as their nodes are, which is the order in which the driver chose their addresses.
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
        return found;
    }
    [[nodiscard]] bool is_ascending() const {
        return std::is_sorted(allocated_by_.begin(), allocated_by_.end(),
                              [this](std::uint32_t u, std::uint32_t v) { return order_.place(u) < order_.place(v); });
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
        std::vector<std::uint32_t> frees = nodes_of(node_kind::free);
        match_predecessors(frees);
        std::vector<std::uint32_t> left;
        for (const std::uint32_t f : frees) {
            const auto candidates = addresses_.around(program_.nodes[f].address);
            const std::uint32_t a = first_free(f, candidates.first(earlier(candidates, f)),
                                               [&](std::uint32_t each) { return order_.before(allocated_by_[each], f); });
            if (a != none) {
                freed_by_[a] = f;
            } else {
                left.push_back(f);
            }
        }
        // Not ordered after what they free (rule O4), or even before it; or freeing nothing of this graph.
        for (const std::uint32_t f : left) {
            const auto candidates = addresses_.around(program_.nodes[f].address);
            std::uint32_t a =
                first_free(f, candidates, [&](std::uint32_t each) { return !order_.before(f, allocated_by_[each]); });
            if (a == none) {
                a = first_free(f, candidates, [](std::uint32_t) { return true; });
            }
            if (a != none) {
                freed_by_[a] = f;
            } else {
                idle_.push_back({f, at_address(program_.nodes[f].address)});
            }
        }
    }
    /// An allocation whose bytes another one got later was freed before that one: whatever its own order, its free is
    /// among those that come before the other. Takes the frees that are matched out of the list.
    void match_predecessors(std::vector<std::uint32_t>& frees) {
        std::vector<std::uint32_t> by_address = frees;
        const auto place_of = [this](std::uint32_t f) { return std::pair(program_.nodes[f].address, order_.place(f)); };
        std::sort(by_address.begin(), by_address.end(),
                  [&](std::uint32_t f, std::uint32_t g) { return place_of(f) < place_of(g); });
        std::vector<bool> taken(program_.nodes.size(), false);
        for (std::uint32_t a = 0; a < allocated_by_.size(); ++a) {
            const std::uint32_t next = next_at(a);
            if (next == none) {
                continue;
            }
            const std::pair behind(addresses_.of(a).begin, order_.place(allocated_by_[next]));
            auto f = std::lower_bound(by_address.begin(), by_address.end(), behind,
                                      [&](std::uint32_t each, const auto& place) { return place_of(each) < place; });
            while (f != by_address.begin() && program_.nodes[*--f].address == behind.first) {
                if (!taken[*f] && order_.before(*f, allocated_by_[next])) {
                    taken[*f] = true;
                    freed_by_[a] = *f;
                    break;
                }
            }
        }
        frees.erase(std::remove_if(frees.begin(), frees.end(), [&](std::uint32_t f) { return taken[f]; }), frees.end());
    }
    /// The first allocation after one that has some of its bytes.
    std::uint32_t next_at(std::uint32_t a) const {
        const auto beside = addresses_.beside(a);
        for (auto at = std::upper_bound(beside.begin(), beside.end(), a); at != beside.end(); ++at) {
            if (addresses_.of(*at).overlaps(addresses_.of(a))) {
                return *at;
            }
        }
        return none;
    }
    /// How many of some allocations may come before a node, from the first. Nodes are mostly listed in an order that keeps
    /// their edges.
    std::size_t earlier(std::span<const std::uint32_t> allocations, std::uint32_t node) const {
        if (!ascending_) {
            return allocations.size();
        }
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
    bool ascending_;  // their order keeps that of the graph
    audit_addresses addresses_;
    std::vector<std::uint32_t> freed_by_;
    std::vector<std::uint32_t> touched_;
    std::vector<idle_free> idle_;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
