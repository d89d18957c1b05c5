#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include <allograph/model/detail/graph_fit.hpp>
#include <allograph/model/detail/line_fit.hpp>
#include <allograph/model/detail/order_index.hpp>
#include <allograph/model/detail/random.hpp>
#include <allograph/model/first_fit.hpp>
#include <allograph/model/lower_bound.hpp>
#include <allograph/model/place.hpp>
#include <allograph/model/placement.hpp>
#include <allograph/model/placement_problem.hpp>

namespace {

using namespace allograph::model;
using allograph::model::detail::random_source;

// A problem and what the oracles know of it without the library: sizes, alignments, and who conflicts with whom.
struct sample {
    placement_problem problem;
    std::vector<std::uint64_t> size;
    std::vector<std::uint64_t> alignment;
    std::vector<std::vector<bool>> conflict;
};

std::uint64_t random_size(random_source& random, bool coarse) {
    if (random.below(30) == 0) {
        return 0;
    }
    return coarse ? 256 * (1 + random.below(16)) : 1 + random.below(40);
}

std::uint64_t random_alignment(random_source& random, int style) {
    return style == 0 ? 1 : style == 1 ? 256 : std::uint64_t{1} << random.below(6);
}

void settle_sizes(sample& s) {
    for (std::size_t a = 0; a < s.size.size(); ++a) {
        for (std::size_t b = 0; b < s.size.size(); ++b) {
            if (a == b || s.size[a] == 0 || s.size[b] == 0) {
                s.conflict[a][b] = false;
            }
        }
    }
}

sample random_line(random_source& random, std::uint64_t most) {
    sample s;
    const std::uint64_t n = 1 + random.below(most);
    const std::uint64_t span = 1 + random.below(2 * most);
    const bool coarse = random.below(2) == 0;
    const int style = static_cast<int>(random.below(3));
    std::vector<interval_buffer> buffers;
    for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t lower = random.below(span);
        buffers.push_back({random_size(random, coarse),
                           random_alignment(random, style),
                           {lower, lower + 1 + random.below(random.below(3) == 0 ? span : 4)}});
        s.size.push_back(buffers.back().size);
        s.alignment.push_back(buffers.back().alignment);
    }
    s.conflict.assign(n, std::vector<bool>(n));
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            s.conflict[a][b] = buffers[a].live.lower < buffers[b].live.upper && buffers[b].live.lower < buffers[a].live.upper;
        }
    }
    settle_sizes(s);
    s.problem = placement_problem::of_intervals(buffers);
    return s;
}

struct graph_sample : sample {
    std::uint32_t nodes = 0;
    std::vector<order_edge> edges;
    std::vector<graph_buffer> buffers;
    std::vector<std::vector<bool>> before;
};

graph_sample random_graph(random_source& random, std::uint64_t most) {
    graph_sample s;
    s.nodes = static_cast<std::uint32_t>(1 + random.below(2 * most));
    const std::uint64_t density = 1 + random.below(6);
    std::vector<std::uint32_t> name(s.nodes);
    std::iota(name.begin(), name.end(), 0U);
    for (std::size_t i = name.size(); i > 1; --i) {
        std::swap(name[i - 1], name[random.below(i)]);
    }
    s.before.assign(s.nodes, std::vector<bool>(s.nodes));
    for (std::uint32_t i = 0; i < s.nodes; ++i) {
        for (std::uint32_t k = i + 1; k < s.nodes; ++k) {
            if (random.below(s.nodes) < density) {
                s.edges.push_back({name[i], name[k]});
                s.before[name[i]][name[k]] = true;
            }
        }
    }
    for (std::uint32_t m = 0; m < s.nodes; ++m) {
        for (std::uint32_t i = 0; i < s.nodes; ++i) {
            for (std::uint32_t k = 0; k < s.nodes; ++k) {
                if (s.before[i][m] && s.before[m][k]) {
                    s.before[i][k] = true;
                }
            }
        }
    }
    const std::uint64_t n = 1 + random.below(most);
    const bool coarse = random.below(2) == 0;
    const int style = static_cast<int>(random.below(3));
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto alloc = static_cast<std::uint32_t>(random.below(s.nodes));
        std::vector<std::uint32_t> ends{alloc};
        for (std::uint32_t v = 0; v < s.nodes; ++v) {
            if (s.before[alloc][v]) {
                ends.push_back(v);
            }
        }
        // Short lives leave more of the order to see.
        const std::size_t end =
            random.below(2) == 0 ? random.below(ends.size()) : random.below(std::min<std::size_t>(ends.size(), 2));
        s.buffers.push_back({random_size(random, coarse), random_alignment(random, style), alloc, ends[end]});
        s.size.push_back(s.buffers.back().size);
        s.alignment.push_back(s.buffers.back().alignment);
    }
    s.conflict.assign(n, std::vector<bool>(n));
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
            s.conflict[a][b] = !s.before[s.buffers[a].free_node][s.buffers[b].alloc_node] &&
                               !s.before[s.buffers[b].free_node][s.buffers[a].alloc_node];
        }
    }
    settle_sizes(s);
    s.problem = placement_problem::of_graph(s.nodes, s.edges, s.buffers);
    return s;
}

bool oracle_accepts(const sample& s, const std::vector<std::uint64_t>& offsets) {
    for (std::size_t a = 0; a < s.size.size(); ++a) {
        if (offsets[a] % s.alignment[a] != 0) {
            return false;
        }
        for (std::size_t b = 0; b < a; ++b) {
            if (s.conflict[a][b] && offsets[a] < offsets[b] + s.size[b] && offsets[b] < offsets[a] + s.size[a]) {
                return false;
            }
        }
    }
    return true;
}

std::uint64_t heaviest_by_force(const sample& s) {
    std::uint64_t best = 0;
    const std::size_t n = s.size.size();
    for (std::uint32_t set = 0; set < (1U << n); ++set) {
        std::uint64_t sum = 0;
        bool good = true;
        for (std::size_t a = 0; a < n && good; ++a) {
            if ((set >> a & 1U) == 0) {
                continue;
            }
            sum += s.size[a];
            for (std::size_t b = 0; b < a && good; ++b) {
                good = (set >> b & 1U) == 0 || s.conflict[a][b] || s.size[a] == 0 || s.size[b] == 0;
            }
        }
        best = good ? std::max(best, sum) : best;
    }
    return best;
}

// Some order places an optimum by lowest gaps: the order of its own offsets.
std::uint64_t least_by_force(const sample& s) {
    std::vector<std::size_t> order(s.size.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::uint64_t best = UINT64_MAX;
    do {
        std::vector<std::uint64_t> offset(order.size());
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const std::size_t a = order[i];
            std::uint64_t at = 0;
            for (bool moved = true; moved;) {
                moved = false;
                for (std::size_t k = 0; k < i; ++k) {
                    const std::size_t b = order[k];
                    if (s.conflict[a][b] && at < offset[b] + s.size[b] && offset[b] < at + s.size[a]) {
                        at = (offset[b] + s.size[b] + s.alignment[a] - 1) / s.alignment[a] * s.alignment[a];
                        moved = true;
                    }
                }
            }
            offset[a] = at;
            bytes = s.size[a] == 0 ? bytes : std::max(bytes, at + s.size[a]);
        }
        best = std::min(best, bytes);
    } while (std::next_permutation(order.begin(), order.end()));
    return best;
}

placement_options steps(std::uint64_t count, std::uint64_t seed = 1) {
    return {.budget = std::chrono::hours(1), .max_steps = count, .seed = seed};
}

void check_all(const sample& s, const placement& p) {
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < s.size.size(); ++b) {
        sum += s.size[b] + s.alignment[b] - 1;
    }
    const bool good = p.offsets.size() == s.size.size() && oracle_accepts(s, p.offsets) && is_valid(s.problem, p) &&
                      p.bytes >= p.lower_bound && p.bytes <= sum && (!p.optimal || p.bytes == p.lower_bound);
    if (!good) {
        REQUIRE(oracle_accepts(s, p.offsets));
        REQUIRE(is_valid(s.problem, p));
        REQUIRE(p.bytes >= p.lower_bound);
        REQUIRE(p.bytes <= sum);
        REQUIRE(good);
    }
}

}  // namespace

TEST_CASE("placements of 20,000 random programs are valid and between the bound and the sum", "[planner]") {
    random_source random(2024);
    int lines = 0;
    for (int i = 0; i < 10'000; ++i) {
        const sample s = random_line(random, 24);
        check_all(s, place(s.problem, steps(100)));
        const graph_sample g = random_graph(random, 16);
        lines += g.problem.is_line() ? 1 : 0;
        check_all(g, place(g.problem, steps(100)));
    }
    CHECK(lines > 100);
    CHECK(lines < 9'900);
}

TEST_CASE("conflicts are those of the order, whether it is found to be a line or not", "[planner]") {
    random_source random(7);
    for (int i = 0; i < 2'000; ++i) {
        const graph_sample s = random_graph(random, 16);
        bool same = true;
        for (std::size_t a = 0; a < s.size.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                same = same && s.problem.conflict(a, b) == s.conflict[a][b];
            }
        }
        REQUIRE(same);
    }
}

TEST_CASE("an interval order is a line, whatever graph it comes from", "[planner]") {
    random_source random(11);
    int graphs = 0;
    for (int i = 0; i < 2'000; ++i) {
        const graph_sample s = random_graph(random, 14);
        // Not an interval order: two pairs, each ordered within, neither across.
        bool crossed = false;
        const auto& b = s.buffers;
        const auto ordered = [&](std::size_t x, std::size_t y) { return s.before[b[x].free_node][b[y].alloc_node]; };
        for (std::size_t p = 0; p < b.size(); ++p) {
            for (std::size_t q = 0; q < b.size(); ++q) {
                for (std::size_t r = 0; ordered(p, q) && r < b.size(); ++r) {
                    for (std::size_t t = 0; t < b.size(); ++t) {
                        crossed = crossed || (ordered(r, t) && !ordered(p, t) && !ordered(r, q));
                    }
                }
            }
        }
        REQUIRE(s.problem.is_line() == !crossed);
        graphs += crossed ? 1 : 0;
    }
    CHECK(graphs > 100);
}

TEST_CASE("the lower bound is the heaviest set of buffers that conflict", "[planner]") {
    random_source random(3);
    for (int i = 0; i < 3'000; ++i) {
        const graph_sample g = random_graph(random, 10);
        const sample l = random_line(random, 10);
        for (const sample* s : {static_cast<const sample*>(&g), &l}) {
            const memory_bound bound = lower_bound(s->problem);
            REQUIRE(bound.exact);
            REQUIRE(bound.bytes == heaviest_by_force(*s));
            std::uint64_t sum = 0;
            bool all = true;
            for (const std::uint32_t a : bound.witness) {
                sum += s->size[a];
                for (const std::uint32_t b : bound.witness) {
                    all = all && (a == b || s->conflict[a][b]);
                }
            }
            REQUIRE(sum == bound.bytes);
            REQUIRE(all);
            // Without time for the flow the bound still holds.
            const memory_bound cheap = lower_bound(s->problem, 0);
            REQUIRE(cheap.bytes <= bound.bytes);
            REQUIRE((cheap.exact == s->problem.is_line()));
        }
    }
}

TEST_CASE("what is called optimal is, and small problems are solved to the end", "[planner]") {
    random_source random(5);
    int proven = 0;
    int above_bound = 0;
    constexpr int rounds = 1'500;
    for (int i = 0; i < rounds; ++i) {
        const graph_sample g = random_graph(random, 6);
        const sample l = random_line(random, 6);
        for (const sample* s : {static_cast<const sample*>(&g), &l}) {
            const placement p = place(s->problem, steps(20'000));
            const std::uint64_t least = least_by_force(*s);
            REQUIRE(p.bytes >= least);
            REQUIRE(p.lower_bound <= least);
            if (p.optimal) {
                REQUIRE(p.bytes == least);
                ++proven;
                above_bound += p.bytes > lower_bound(s->problem).bytes ? 1 : 0;
            }
        }
    }
    CHECK(proven > 2 * rounds * 9 / 10);
    CHECK(above_bound > 0);
}

TEST_CASE("the same steps and seed give the same placement", "[planner]") {
    random_source random(13);
    for (int i = 0; i < 20; ++i) {
        const sample s = random_line(random, 80);
        const placement a = place(s.problem, steps(5'000, 9));
        const placement b = place(s.problem, steps(5'000, 9));
        REQUIRE(a.offsets == b.offsets);
        REQUIRE(a.statistics.steps == b.statistics.steps);
    }
}

TEST_CASE("the caller sees progress and can end the search", "[planner]") {
    random_source random(17);
    const sample s = random_line(random, 200);
    std::uint64_t calls = 0;
    std::uint64_t last = UINT64_MAX;
    const placement p = place(s.problem, steps(100'000), [&](const placement_progress& now) {
        ++calls;
        CHECK(now.best <= last);
        CHECK(now.bound <= now.best);
        last = now.best;
        return false;
    });
    CHECK(calls == 1);
    CHECK(p.statistics.steps == 0);
    CHECK(p.bytes == p.statistics.instant_bytes);
    check_all(s, p);
    check_all(s, place(s.problem, {.budget = std::chrono::nanoseconds(0)}));
}

TEST_CASE("the heuristics for many buffers are valid on few as well", "[planner]") {
    random_source random(19);
    for (int i = 0; i < 2'000; ++i) {
        const sample l = random_line(random, 60);
        const detail::line_fit fit(l.problem);
        for (const auto& offsets : {fit.by_time({1, 0, false}), fit.by_time({0, 1, true}), fit.by_time({0.1, 1, false})}) {
            REQUIRE(oracle_accepts(l, offsets));
        }
        const graph_sample g = random_graph(random, 30);
        if (!g.problem.is_line()) {
            REQUIRE(oracle_accepts(g, detail::graph_fit(g.problem, false).offsets()));
            REQUIRE(oracle_accepts(g, detail::graph_fit(g.problem, true).offsets()));
        }
    }
}

TEST_CASE("thousands of buffers are placed validly, on lines and in graphs", "[planner]") {
    random_source random(23);
    std::vector<interval_buffer> line;
    for (int i = 0; i < 5'000; ++i) {
        const std::uint64_t lower = random.below(5'000);
        line.push_back({1 + random.below(1 << 20), 256, {lower, lower + 1 + random.below(100)}});
    }
    const auto on_line = placement_problem::of_intervals(line);
    const placement p = place(on_line);
    CHECK(is_valid(on_line, p));
    CHECK(p.bytes < p.lower_bound * 5 / 4);

    // Four streams of work that wait for one another now and then.
    constexpr std::uint32_t streams = 4;
    constexpr std::uint32_t length = 2'000;
    std::vector<order_edge> edges;
    std::vector<graph_buffer> buffers;
    for (std::uint32_t v = 0; v < streams * length; ++v) {
        const std::uint32_t at = v / streams;
        if (at + 1 < length) {
            edges.push_back({v, v + streams});
            if (random.below(20) == 0) {
                edges.push_back({v, (at + 1) * streams + static_cast<std::uint32_t>(random.below(streams))});
            }
        }
        const std::uint32_t end = std::min(length - 1, at + static_cast<std::uint32_t>(random.below(30)));
        buffers.push_back({1 + random.below(1 << 20), 256, v, end * streams + v % streams});
    }
    const auto in_graph = placement_problem::of_graph(streams * length, edges, buffers);
    REQUIRE_FALSE(in_graph.is_line());
    const placement q = place(in_graph);
    CHECK(is_valid(in_graph, q));
    CHECK(q.statistics.bound_is_exact);
    CHECK(q.bytes < q.lower_bound * 2);
}

TEST_CASE("an order held in part never claims more than the whole", "[planner]") {
    random_source random(29);
    for (int i = 0; i < 1'000; ++i) {
        const graph_sample s = random_graph(random, 16);
        const detail::order_index whole(s.nodes, s.edges);
        const detail::order_index part(s.nodes, s.edges, s.nodes * random.below(4));
        bool right = whole.exact();
        for (std::uint32_t u = 0; u < s.nodes; ++u) {
            for (std::uint32_t v = 0; v < s.nodes; ++v) {
                right = right && whole.before(u, v) == s.before[u][v] && (!part.before(u, v) || s.before[u][v]);
            }
        }
        REQUIRE(right);
    }
}

TEST_CASE("a placement that is wrong is found out", "[planner]") {
    random_source random(31);
    int wrong = 0;
    for (int i = 0; i < 3'000; ++i) {
        const graph_sample g = random_graph(random, 12);
        const sample l = random_line(random, 12);
        for (const sample* s : {static_cast<const sample*>(&g), &l}) {
            placement p = place_at_once(s->problem);
            p.offsets[random.below(p.offsets.size())] = random.below(p.bytes + 1);
            p.bytes = extent(s->problem, p.offsets);
            REQUIRE(is_valid(s->problem, p) == oracle_accepts(*s, p.offsets));
            wrong += oracle_accepts(*s, p.offsets) ? 0 : 1;
            ++p.bytes;
            REQUIRE_FALSE(is_valid(s->problem, p));
        }
    }
    CHECK(wrong > 1'000);
}

TEST_CASE("problems that make no sense are refused", "[planner]") {
    const auto line = [](interval_buffer b) { return placement_problem::of_intervals({&b, 1}); };
    CHECK_THROWS_AS(line({8, 3, {0, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(line({8, 0, {0, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(line({8, 1, {1, 1}}), std::invalid_argument);
    CHECK_THROWS_AS(line({std::uint64_t{1} << 62U, 1, {0, 1}}), std::invalid_argument);

    const std::vector<order_edge> chain{{0, 1}, {1, 2}};
    const auto graph = [](const std::vector<order_edge>& edges, graph_buffer b) {
        return placement_problem::of_graph(3, edges, {&b, 1});
    };
    CHECK_NOTHROW(graph(chain, {8, 1, 0, 2}));
    CHECK_NOTHROW(graph(chain, {8, 1, 1, 1}));
    CHECK_THROWS_AS(graph(chain, {8, 1, 2, 0}), std::invalid_argument);
    CHECK_THROWS_AS(graph(chain, {8, 1, 0, 3}), std::invalid_argument);
    CHECK_THROWS_AS(graph({{0, 1}, {1, 0}}, {8, 1, 2, 2}), std::invalid_argument);
    CHECK_THROWS_AS(graph({{0, 3}}, {8, 1, 2, 2}), std::invalid_argument);
    CHECK_THROWS_AS(graph({{1, 1}}, {8, 1, 2, 2}), std::invalid_argument);
}

TEST_CASE("nothing to place takes nothing", "[planner]") {
    const placement p = place(placement_problem{});
    CHECK(p.bytes == 0);
    CHECK(p.optimal);
    CHECK(is_valid(placement_problem{}, p));
    CHECK(place(placement_problem::of_graph(0, {}, {})).bytes == 0);
    const interval_buffer empty{0, 256, {0, 5}};
    CHECK(place(placement_problem::of_intervals({&empty, 1})).bytes == 0);
}

TEST_CASE("a node that frees one buffer and allocates another does not let them share", "[planner]") {
    const std::vector<order_edge> chain{{0, 1}, {1, 2}};
    const std::vector<graph_buffer> buffers{{100, 1, 0, 1}, {50, 1, 1, 2}, {70, 1, 2, 2}};
    const auto problem = placement_problem::of_graph(3, chain, buffers);
    CHECK(problem.is_line());
    CHECK(problem.conflict(0, 1));
    CHECK(problem.conflict(1, 2));
    CHECK_FALSE(problem.conflict(0, 2));
    const placement p = place(problem);
    CHECK(p.bytes == 150);
    CHECK(p.optimal);
}
