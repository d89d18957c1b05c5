// rule: F9
// expected-no-diagnostics
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void straight(ag::memory_graph& g, ag::kernel<void(const float*, float*)> copy, CUstream stream) {
    auto x = g.add_alloc<float>(1024);
    auto y = g.add_alloc<float>(ag::after(x), 1024);
    const auto set = g.add_memset(ag::after(x), x.span(), 0.0f);
    const auto use = g.add_kernel(ag::after(set, y), copy, ag::grid_for(1024), x.data(), y.data());
    g.add_free(ag::after(use), std::move(x));
    auto exec = std::move(g).instantiate(ag::outputs(std::move(y)));
    const auto [result] = exec.launch(stream);
    (void)result.span();
}

void moved_on(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    auto y = std::move(x);
    auto z = std::move(y);
    const auto set = g.add_memset(ag::after(z), z.span(), 0.0f);
    g.add_free(ag::after(set), std::move(z));
}

void on_either_branch(ag::memory_graph& g, bool cleared) {
    auto x = g.add_alloc<float>(1024);
    if (cleared) {
        const auto set = g.add_memset(ag::after(x), x.span(), 0.0f);
        g.add_free(ag::after(set), std::move(x));
    } else {
        g.add_free(ag::after(x), std::move(x));
    }
}

ag::alloc_node<float> returned(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    g.add_memset(ag::after(x), x.span(), 0.0f);
    return x;
}

void taken(ag::memory_graph& g, ag::alloc_node<float> by_value, ag::alloc_node<float>& by_reference,
           ag::alloc_node<float>&& by_move) {
    (void)by_value.data();
    (void)by_reference.data();
    (void)by_move.data();
    g.add_free(ag::after(by_value), std::move(by_value));
    g.add_free(ag::after(by_reference), std::move(by_reference));
    g.add_free(ag::after(by_move), std::move(by_move));
}
