#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <allograph/model/detail/clique_problem.hpp>
#include <allograph/model/detail/skyline_state.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// Splits unplaced buffers into parts, which no unplaced buffer connects.
class problem_parts {
public:
    struct part {
        std::vector<std::uint32_t> buffers;
        std::size_t cliques = 0;  // that hold any of them
    };

    explicit problem_parts(const clique_problem& problem)
        : problem_(&problem), round_of_(problem.buffers(), 0), round_of_clique_(problem.cliques(), 0) {}

    /// @param buffers  all unplaced ones of a part; in a total order, ascending by first clique
    [[nodiscard]] std::vector<part> split(const std::vector<std::uint32_t>& buffers, const skyline_state& state) {
        return problem_->consecutive ? split_line(buffers) : split_graph(buffers, state);
    }

private:
    /// In a total order, where `buffers` ascend by first clique, a part ends where nothing reaches further.
    [[nodiscard]] std::vector<part> split_line(const std::vector<std::uint32_t>& buffers) const {
        std::vector<part> parts;
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        for (const std::uint32_t b : buffers) {
            const auto own = problem_->cliques_of(b);
            if (parts.empty() || own.front() >= end) {
                parts.emplace_back();
                begin = own.front();
            }
            end = own.back() + 1 > end ? own.back() + 1 : end;
            parts.back().buffers.push_back(b);
            parts.back().cliques = end - begin;
        }
        return parts;
    }

    [[nodiscard]] std::vector<part> split_graph(const std::vector<std::uint32_t>& buffers, const skyline_state& state) {
        std::vector<part> parts;
        ++round_;
        for (const std::uint32_t first : buffers) {
            if (round_of_[first] == round_) {
                continue;
            }
            part p;
            p.buffers.push_back(first);
            round_of_[first] = round_;
            for (std::size_t i = 0; i < p.buffers.size(); ++i) {
                for (const std::uint32_t c : problem_->cliques_of(p.buffers[i])) {
                    if (round_of_clique_[c] == round_) {
                        continue;
                    }
                    round_of_clique_[c] = round_;
                    ++p.cliques;
                    for (const std::uint32_t b : state.unplaced_of(c)) {
                        if (round_of_[b] != round_) {
                            round_of_[b] = round_;
                            p.buffers.push_back(b);
                        }
                    }
                }
            }
            parts.push_back(std::move(p));
        }
        return parts;
    }

    const clique_problem* problem_;
    std::vector<std::uint64_t> round_of_, round_of_clique_;
    std::uint64_t round_ = 0;
};

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
