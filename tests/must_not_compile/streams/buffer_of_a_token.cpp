// rule: X8
// expect: because_only_a_launch_makes_a_stream_buffer
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto buffer(ag::memory_graph& g, CUstream s) {
    auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    (void)s;
    return ag::stream_buffer<float>(std::move(x));
#else
    return std::get<0>(std::move(g).instantiate(ag::outputs(std::move(x))).launch(s));
#endif
}
