// rule: O5
// expect: because_only_a_launch_makes_a_stream_buffer
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

auto convert(ag::stream_buffer<float> x) {
#ifdef MISTAKE
    ag::stream_buffer<int> y = std::move(x);
#else
    ag::stream_buffer<float> y = std::move(x);
#endif
    return y;
}
