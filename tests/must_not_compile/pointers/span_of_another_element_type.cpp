// rule: O5
// expect(g++): to non-scalar type
// expect(clang++): no viable conversion from
// expect(nvcc): no suitable
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto writable(ag::device_span<const float> x) {
#ifdef MISTAKE
    ag::device_span<float> y = x;
#else
    ag::device_span<const float> y = x;
#endif
    return y;
}
