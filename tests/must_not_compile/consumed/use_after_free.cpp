// rule: F9
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void set_after_the_free(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    const auto freed = g.add_free(ag::after(x), std::move(x));
    // expected-warning@+1 {{invalid invocation of method 'span' on object 'x' while it is in the 'consumed' state}}
    g.add_memset(ag::after(freed), x.span(), 0.0f);
}

void launch_after_the_free(ag::memory_graph& g, ag::kernel<void(float*)> fill) {
    auto x = g.add_alloc<float>(1024);
    g.add_free(std::move(x));
    // expected-warning@+1 {{invalid invocation of method 'data' on object 'x' while it is in the 'consumed' state}}
    g.add_kernel(fill, ag::grid_for(1024), x.data());
}
