// Squares and their negation in graphs with memory nodes.

#include <allograph/capture.hpp>

#include "migration.hpp"

namespace migration {
namespace {

struct squares_graph {
    ag::memory_graph graph;
    ag::alloc_node<float> negated;  // its fate is the caller's to choose
    ag::memcpy_node out;
    bool reused;
};

squares_graph make_graph(const kernels& use, const std::vector<float>& input, std::vector<float>& square,
                         std::vector<float>& result) {
    const int n = static_cast<int>(input.size());
    ag::memory_graph g;
    auto x = g.add_alloc<float>(input.size(), ag::named("input"));
    auto y = g.add_alloc<float>(ag::after(x), input.size(), ag::named("square"));
    auto in = g.add_memcpy(ag::after(y), x.span(), input);
    auto squared = g.add_kernel(ag::after(in), use.square, ag::grid_for(input.size()), n, x.data(), y.data());
    auto out_square = g.add_memcpy(ag::after(squared), square, y.span());
    const auto address_of_input = x.data().address();
    auto free_input = g.add_free(ag::after(squared), std::move(x));
    auto z = g.add_alloc<float>(ag::after(free_input), input.size(), ag::named("negated"));
    const bool reused = z.data().address() == address_of_input;
    auto negate = g.add_kernel(ag::after(z), use.negate, ag::grid_for(input.size()), n, y.data(), z.data());
    g.add_free(ag::after(out_square, negate), std::move(y));
    auto out = g.add_memcpy(ag::after(negate), result, z.span());
    return {std::move(g), std::move(z), out, reused};
}

}  // namespace

negated_squares memory_nodes(const kernels& use, const std::vector<float>& input) {
    const std::vector<float> empty(input.size());
    negated_squares result{empty, empty, empty, empty, empty, false};
    const ag::stream stream;

    {
        auto made = make_graph(use, input, result.square, result.freed_inside);
        result.address_reused = made.reused;
        made.graph.add_free(ag::after(made.out), std::move(made.negated));
        auto exec = std::move(made.graph).instantiate();
        exec.launch(stream);
        exec.launch(stream);
        stream.synchronize();
    }
    {
        auto made = make_graph(use, input, result.square, result.freed_on_the_stream);
        auto exec = std::move(made.graph).instantiate(ag::outputs(std::move(made.negated)));
        for (int i = 0; i < 2; ++i) {
            auto [negated] = exec.launch(stream);  // freed on the stream where its scope ends
        }
        stream.synchronize();
    }
    {
        auto made = make_graph(use, input, result.square, result.freed_by_another_graph);
        ag::memory_graph frees;
        frees.add_free(std::move(made.negated));
        auto exec = std::move(made.graph).instantiate();
        auto freeing = std::move(frees).instantiate();
        for (int i = 0; i < 2; ++i) {
            exec.launch(stream);
            freeing.launch(stream);
        }
        stream.synchronize();
    }
    auto scope = ag::memory_graph().capture(stream);
    negate_squares_on(stream, use, input.data(), result.square.data(), result.captured.data(), static_cast<int>(input.size()));
    auto [graph, captured] = std::move(scope).end();
    auto exec = std::move(graph).instantiate();
    exec.launch(stream);
    stream.synchronize();
    return result;
}

}  // namespace migration
