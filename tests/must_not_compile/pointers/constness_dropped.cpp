// rule: O6
// expect(g++): to non-scalar type
// expect(clang++): no viable conversion from
// expect(nvcc): no suitable
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto writable(ag::device_ptr<const float> x) {
#ifdef MISTAKE
    ag::device_ptr<float> y = x;
#else
    ag::device_ptr<const float> y = x;
#endif
    return y;
}
