#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// A placement problem in the form that the exact search reads: buffers, and sets of buffers that live together.
/// Two buffers conflict exactly when some clique holds both; each buffer is in at least one. Bytes are counted in units
/// of a common divisor.
struct clique_problem {
    std::vector<std::int64_t> size;           ///< of each buffer, in units, at least 1
    std::vector<std::int64_t> alignment;      ///< of each buffer, in units, at least 1
    std::vector<std::uint32_t> clique_begin;  ///< cliques + 1 positions in `members`
    std::vector<std::uint32_t> members;       ///< buffers, clique by clique
    std::vector<std::uint32_t> buffer_begin;  ///< buffers + 1 positions in `memberships`
    std::vector<std::uint32_t> memberships;   ///< cliques, buffer by buffer, ascending
    bool consecutive = false;                 ///< each buffer's cliques are consecutive (a total order)

    [[nodiscard]] std::size_t buffers() const noexcept { return size.size(); }
    [[nodiscard]] std::size_t cliques() const noexcept { return clique_begin.empty() ? 0 : clique_begin.size() - 1; }
    [[nodiscard]] std::span<const std::uint32_t> members_of(std::uint32_t clique) const noexcept {
        return {members.data() + clique_begin[clique], members.data() + clique_begin[clique + 1]};
    }
    [[nodiscard]] std::span<const std::uint32_t> cliques_of(std::uint32_t buffer) const noexcept {
        return {memberships.data() + buffer_begin[buffer], memberships.data() + buffer_begin[buffer + 1]};
    }
    [[nodiscard]] std::int64_t align_up(std::uint32_t buffer, std::int64_t offset) const noexcept {
        const std::int64_t a = alignment[buffer];
        return a == 1 ? offset : (offset + a - 1) / a * a;
    }

    /// The two buffers can be exchanged in any solution.
    [[nodiscard]] bool same(std::uint32_t a, std::uint32_t b) const noexcept {
        const auto x = cliques_of(a);
        const auto y = cliques_of(b);
        return size[a] == size[b] && alignment[a] == alignment[b] && x.size() == y.size() &&
               std::equal(x.begin(), x.end(), y.begin());
    }

    /// Fills the buffers' side from the cliques' side.
    void index_buffers() {
        buffer_begin.assign(buffers() + 1, 0);
        for (const std::uint32_t b : members) {
            ++buffer_begin[b + 1];
        }
        for (std::size_t b = 0; b < buffers(); ++b) {
            buffer_begin[b + 1] += buffer_begin[b];
        }
        memberships.resize(members.size());
        std::vector<std::uint32_t> next(buffer_begin.begin(), buffer_begin.end() - 1);
        for (std::uint32_t c = 0; c < cliques(); ++c) {
            for (const std::uint32_t b : members_of(c)) {
                memberships[next[b]++] = c;
            }
        }
    }

    [[nodiscard]] std::vector<std::uint32_t> by_first_clique() const {
        std::vector<std::uint32_t> order(buffers());
        for (std::uint32_t b = 0; b < buffers(); ++b) {
            order[b] = b;
        }
        std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
            const std::uint32_t x = cliques_of(a).front();
            const std::uint32_t y = cliques_of(b).front();
            return x != y ? x < y : a < b;
        });
        return order;
    }

    /// The heaviest clique, in units: no placement takes less.
    [[nodiscard]] std::int64_t heaviest() const {
        std::int64_t best = 0;
        for (std::uint32_t c = 0; c < cliques(); ++c) {
            std::int64_t sum = 0;
            for (const std::uint32_t b : members_of(c)) {
                sum += size[b];
            }
            best = sum > best ? sum : best;
        }
        return best;
    }
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
