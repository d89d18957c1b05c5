// rule: X8
// expect: because_only_a_launch_makes_a_stream_buffer
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto buffer(ag::memory_graph& g, CUstream s, ag::stream_buffer<float>& real) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    (void)real;
    ag::stream_buffer<float> b(x.span(), s);
    return b.data();
#else
    (void)s;
    return real.data();
#endif
}
