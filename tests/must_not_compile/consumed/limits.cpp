// rule: F9
// What the analysis does not see; run time throws `misuse` there.
// expected-no-diagnostics
#include <allograph/allograph.hpp>

#include <utility>
#include <vector>

namespace ag = allograph;

void freed_twice(ag::memory_graph& g) {
    auto x = g.add_alloc<float>(1024);
    g.add_free(ag::after(x), std::move(x));
    g.add_free(std::move(x));
}

void freed_on_one_branch(ag::memory_graph& g, bool early) {
    auto x = g.add_alloc<float>(1024);
    if (early) {
        g.add_free(ag::after(x), std::move(x));
    }
    (void)x.data();
}

struct layer {
    ag::alloc_node<float> weights;
};

void member(ag::memory_graph& g, layer& l) {
    g.add_free(std::move(l.weights));
    (void)l.weights.data();
}

void element(ag::memory_graph& g, std::vector<ag::alloc_node<float>>& all) {
    g.add_free(std::move(all.front()));
    (void)all.front().data();
}
