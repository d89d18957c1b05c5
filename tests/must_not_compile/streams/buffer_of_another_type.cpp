// rule: O5
// expect(g++): to non-scalar type
// expect(clang++): no viable conversion from
// expect(nvcc): no suitable
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
