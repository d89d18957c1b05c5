// Conditional nodes: if, if-else, while, do-while with a captured body, switch.

#include <array>

#include <allograph/capture.hpp>

#include "migration.hpp"

namespace migration {
namespace {

/// A graph around a conditional: two cells go in, and come out. `fill(graph, cells, after)` adds what decides, and the
/// conditional node, which it returns.
template <class Fill>
std::vector<int> run(const ag::stream& stream, std::initializer_list<int> values, Fill&& fill) {
    std::array<int, 2> host{};
    ag::memory_graph g;
    auto cells = g.add_alloc<int>(2, ag::named("cells"));
    auto in = g.add_memcpy(ag::after(cells), cells.span(), host);
    auto done = fill(g, cells.data(), in);
    auto out = g.add_memcpy(ag::after(done), host, cells.span());
    g.add_free(ag::after(out), std::move(cells));
    auto exec = std::move(g).instantiate();
    std::vector<int> seen;
    for (const int value : values) {
        host = {value, 0};
        exec.launch(stream);
        stream.synchronize();
        seen.push_back(host[1]);
    }
    return seen;
}

}  // namespace

std::vector<int> conditional_nodes(const kernels& use) {
    std::vector<int> seen;
    const ag::stream stream;
    const ag::launch_config once{};
    const auto keep = [&](const std::vector<int>& more) { seen.insert(seen.end(), more.begin(), more.end()); };

    keep(run(stream, {0, 1}, [&](auto& g, auto cells, auto in) {  // if
        auto decides = g.make_condition();
        auto decide = g.add_kernel(ag::after(in), use.decide_by_parity, once, cells, decides);
        auto when = g.add_if(ag::after(decide), decides);
        when.body.add_kernel(use.write_value, once, 1, cells + 1);
        return when.node;
    }));
    keep(run(stream, {0, 1}, [&](auto& g, auto cells, auto in) {  // if, else
        auto decides = g.make_condition();
        auto decide = g.add_kernel(ag::after(in), use.decide_by_parity, once, cells, decides);
        auto when = g.add_if_else(ag::after(decide), decides);
        when.body.add_kernel(use.write_value, once, 1, cells + 1);
        when.otherwise.add_kernel(use.write_value, once, 2, cells + 1);
        return when.node;
    }));
    keep(run(stream, {0, 10}, [&](auto& g, auto cells, auto in) {  // while: the value decides before the first round too
        auto goes_on = g.make_condition();
        auto decide = g.add_kernel(ag::after(in), use.decide_by_value, once, cells, goes_on);
        auto loop = g.add_while(ag::after(decide), goes_on);
        loop.body.add_kernel(use.count_down, once, cells, cells + 1, goes_on);
        return loop.node;
    }));
    keep(run(stream, {10}, [&](auto& g, auto cells, auto in) {  // do, while: 1 when a launch begins; the body is captured
        auto goes_on = g.make_condition(1);
        auto loop = g.add_while(ag::after(in), goes_on);
        auto scope = std::move(loop.body).capture(stream);
        count_down_on(stream, use, cells.address(), (cells + 1).address(), goes_on);
        auto [body, captured] = std::move(scope).end();
        return loop.node;
    }));
    keep(run(stream, {0, 1, 2, 3, 4}, [&](auto& g, auto cells, auto in) {  // switch
        auto decides = g.make_condition();
        auto decide = g.add_kernel(ag::after(in), use.decide_by_value, once, cells, decides);
        auto cases = g.add_switch(ag::after(decide), decides, 4);
        for (int i = 0; i < 4; ++i) {
            cases.bodies[static_cast<std::size_t>(i)].add_kernel(use.write_value, once, 10 + i, cells + 1);
        }
        return cases.node;
    }));
    return seen;
}

}  // namespace migration
