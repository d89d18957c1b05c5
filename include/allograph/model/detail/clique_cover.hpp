#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <allograph/model/detail/buffer_orders.hpp>
#include <allograph/model/detail/clique_problem.hpp>
#include <allograph/model/detail/conflict_matrix.hpp>
#include <allograph/model/detail/sections.hpp>
#include <allograph/model/placement_problem.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// A placement problem as cliques, in units, and what the units lose.
struct clique_cover {
    clique_problem cliques;
    std::vector<std::uint32_t> buffer;  ///< the problem's buffer for each of the cliques'
    std::uint64_t unit = 1;             ///< in bytes
    std::uint64_t loss = 0;             ///< bytes by which rounding sizes up may exceed the true need
    bool complete = false;              ///< false: the problem is too large for this form
};

/// The most clique memberships to hold.
inline constexpr std::size_t most_memberships = std::size_t{1} << 22U;

/// Chooses the unit. Where every buffer is aligned to the same number of bytes or more, sizes may be rounded up to it:
/// only the bytes behind the topmost buffer are lost.
inline void choose_unit(const placement_problem& problem, bool round_up, clique_cover& cover) {
    std::uint64_t least = round_up ? UINT64_MAX : 1;
    for (const std::uint32_t b : cover.buffer) {
        least = std::min(least, problem.alignment_of(b));
    }
    const auto rounded = [&](std::uint32_t b) { return (problem.size_of(b) + least - 1) & ~(least - 1); };
    std::uint64_t unit = 0;
    for (const std::uint32_t b : cover.buffer) {
        unit = std::gcd(unit, rounded(b));
        cover.loss = rounded(b) == problem.size_of(b) ? cover.loss : least - 1;
    }
    for (const std::uint32_t b : cover.buffer) {
        unit = unit % problem.alignment_of(b) == 0 ? unit : std::gcd(unit, problem.alignment_of(b));
    }
    cover.unit = unit;
    for (const std::uint32_t b : cover.buffer) {
        cover.cliques.size.push_back(static_cast<std::int64_t>(rounded(b) / unit));
        cover.cliques.alignment.push_back(static_cast<std::int64_t>(std::max<std::uint64_t>(1, problem.alignment_of(b) / unit)));
    }
}

/// On a line, the cliques are the sections after which something ends: the others lie within them.
inline void cover_line(const placement_problem& problem, clique_cover& cover) {
    const sections line(problem.lifetimes());
    std::vector<std::uint8_t> something_ends(std::size_t{line.count} + 1, 0);
    std::vector<std::vector<std::uint32_t>> begins(line.count);
    for (std::uint32_t i = 0; i < cover.buffer.size(); ++i) {
        something_ends[line.end[cover.buffer[i]]] = 1;
        begins[line.first[cover.buffer[i]]].push_back(i);
    }
    clique_problem& p = cover.cliques;
    p.consecutive = true;
    p.clique_begin.push_back(0);
    std::vector<std::uint32_t> alive;
    for (std::uint32_t s = 0; s < line.count; ++s) {
        alive.insert(alive.end(), begins[s].begin(), begins[s].end());
        if (something_ends[s + 1] == 0) {
            continue;
        }
        p.members.insert(p.members.end(), alive.begin(), alive.end());
        p.clique_begin.push_back(static_cast<std::uint32_t>(p.members.size()));
        if (p.members.size() > most_memberships) {
            return;
        }
        std::erase_if(alive, [&](std::uint32_t i) { return line.end[cover.buffer[i]] == s + 1; });
    }
    cover.complete = true;
}

/// Graphs of more buffers take too long to cover.
inline constexpr std::size_t most_graph_buffers = 512;

/// In a graph, cliques are grown from pairs that no clique holds yet, heavy buffers first. The heaviest clique of all
/// comes first, since it gives the bound.
inline void cover_graph(const conflict_matrix& conflicts, const std::vector<std::uint32_t>& heaviest, clique_cover& cover) {
    clique_problem& p = cover.cliques;
    const std::size_t n = cover.buffer.size();
    std::vector<std::uint8_t> covered(n * n, 0);
    std::vector<std::uint32_t> by_size(n);
    std::iota(by_size.begin(), by_size.end(), 0U);
    std::sort(by_size.begin(), by_size.end(),
              [&](std::uint32_t a, std::uint32_t b) { return p.size[a] != p.size[b] ? p.size[a] > p.size[b] : a < b; });
    std::vector<std::uint32_t> clique;
    p.clique_begin.push_back(0);
    const auto fits = [&](std::uint32_t b) {
        return std::all_of(clique.begin(), clique.end(),
                           [&](std::uint32_t x) { return conflicts(cover.buffer[x], cover.buffer[b]); });
    };
    const auto close = [&] {
        for (const std::uint32_t b : by_size) {
            if (fits(b)) {  // a member does not conflict with itself
                clique.push_back(b);
            }
        }
        for (const std::uint32_t a : clique) {
            for (const std::uint32_t b : clique) {
                covered[a * n + b] = 1;
            }
        }
        p.members.insert(p.members.end(), clique.begin(), clique.end());
        p.clique_begin.push_back(static_cast<std::uint32_t>(p.members.size()));
    };
    for (std::uint32_t i = 0; i < n; ++i) {
        if (std::binary_search(heaviest.begin(), heaviest.end(), cover.buffer[i])) {
            clique.push_back(i);
        }
    }
    close();
    for (const std::uint32_t a : by_size) {
        for (const std::uint32_t b : by_size) {
            if (covered[a * n + b] != 0 || (a != b && !conflicts(cover.buffer[a], cover.buffer[b]))) {
                continue;
            }
            clique.assign(1, a);
            if (a != b) {
                clique.push_back(b);
            }
            // Others of a's pairs that are not covered go first.
            for (const std::uint32_t c : by_size) {
                if (covered[a * n + c] == 0 && fits(c)) {
                    clique.push_back(c);
                }
            }
            close();
            if (p.members.size() > most_memberships) {
                return;
            }
        }
    }
    cover.complete = true;
}

/// @param heaviest  buffers of which each two conflict, ascending
/// @param round_up  sizes may be rounded up to the least alignment
inline clique_cover cover_with_cliques(const placement_problem& problem, const conflict_matrix& conflicts,
                                       const std::vector<std::uint32_t>& heaviest, bool round_up) {
    clique_cover cover;
    cover.buffer = sized_buffers(problem);
    choose_unit(problem, round_up, cover);
    if (problem.is_line()) {
        cover_line(problem, cover);
    } else if (cover.buffer.size() <= most_graph_buffers) {
        cover_graph(conflicts, heaviest, cover);
    }
    if (cover.complete) {
        cover.cliques.index_buffers();
    }
    return cover;
}

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
