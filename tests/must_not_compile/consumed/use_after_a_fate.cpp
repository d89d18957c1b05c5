// rule: F9
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void use_an_output(ag::memory_graph& g, CUstream stream) {
    auto x = g.add_alloc<float>(1024);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(x)));
    (void)x.data();  // expected-warning {{invalid invocation of method 'data' on object 'x' while it is in the 'consumed' state}}
    const auto [result] = exec.launch(stream);
    (void)result.data();
}

void use_an_auto_freed_one(ag::memory_graph& g, CUstream stream) {
    auto x = g.add_alloc<float>(1024);
    auto y = g.add_alloc<int>(1024);
    auto exec = std::move(g).instantiate(ag::auto_free(std::move(x), std::move(y)));
    exec.launch(stream);
    (void)y.span();  // expected-warning {{invalid invocation of method 'span' on object 'y' while it is in the 'consumed' state}}
}
