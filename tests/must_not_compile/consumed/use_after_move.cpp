// rule: F9
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void move_away(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    auto y = std::move(x);
    (void)x.data();  // expected-warning {{invalid invocation of method 'data' on object 'x' while it is in the 'consumed' state}}
    (void)x.span();  // expected-warning {{invalid invocation of method 'span' on object 'x' while it is in the 'consumed' state}}
    (void)y.data();
    (void)x.size();
    (void)x.spent();
}

void finish(ag::memory_graph& g, ag::alloc_node<float> x) { g.add_free(ag::after(x), std::move(x)); }

void hand_over(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    finish(g, std::move(x));
    (void)x.data();  // expected-warning {{invalid invocation of method 'data' on object 'x' while it is in the 'consumed' state}}
}
