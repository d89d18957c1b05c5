#pragma once

#include <cstdint>
#include <vector>

#include <allograph/model/detail/clique_problem.hpp>
#include <allograph/model/detail/random.hpp>

namespace allograph {
inline namespace v0 {
namespace model::detail {

/// The choices of one run that change how soon it finds a solution, never whether there is one.
struct search_tactics {
    enum class value : std::uint8_t { area, size, length, smallest };  ///< which candidate first
    enum class valley : std::uint8_t { lowest, failing, tightest, strictly_lowest };
    value by = value::area;
    valley in = valley::lowest;
    std::uint32_t noise_percent = 0;
    std::uint64_t seed = 0;

    /// The sixteen combinations without noise, in an order that varies both choices at once.
    [[nodiscard]] static search_tactics plain(std::uint32_t i) {
        return {static_cast<value>(i % 4), static_cast<valley>((i + i / 4) % 4), 0, 0};
    }

    /// Any combination, the ones that succeed more often on real traces more often, with more or less noise.
    [[nodiscard]] static search_tactics random(random_source& source) {
        constexpr value values[] = {value::size, value::size,   value::size,   value::area,
                                    value::area, value::length, value::length, value::smallest};
        constexpr std::uint32_t noises[] = {25, 50, 100, 300};
        search_tactics t;
        t.by = values[source.below(8)];
        t.in = static_cast<valley>(source.below(4));
        t.noise_percent = noises[source.below(4)];
        t.seed = source.next();
        return t;
    }
};

/// How much each buffer is preferred among the candidates of a valley.
inline void prefer(const clique_problem& problem, const search_tactics& tactics, std::vector<double>& bias) {
    random_source random(tactics.seed);
    for (std::uint32_t b = 0; b < problem.buffers(); ++b) {
        const auto size = static_cast<double>(problem.size[b]);
        const auto length = static_cast<double>(problem.cliques_of(b).size());
        switch (tactics.by) {
        case search_tactics::value::area:
            bias[b] = size * length;
            break;
        case search_tactics::value::size:
            bias[b] = size;
            break;
        case search_tactics::value::length:
            bias[b] = length;
            break;
        case search_tactics::value::smallest:
            bias[b] = 1 / size;
            break;
        }
        if (tactics.noise_percent != 0) {
            bias[b] *= 1 + static_cast<double>(random.below(tactics.noise_percent)) / 100;
        }
    }
}

}  // namespace model::detail
}  // namespace v0
}  // namespace allograph
