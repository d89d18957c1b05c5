// rule: X8
// expect: no member
#include <allograph/allograph.hpp>

#include <utility>
#include <vector>

namespace ag = allograph;

void read(ag::memory_graph& g, CUstream s, std::vector<float>& host) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    (void)s;
    x.copy_to(host);
#else
    const auto [result] = std::move(g).instantiate(ag::outputs(std::move(x))).launch(s);
    result.copy_to(host);
#endif
}
