// rule: F2
// expect(g++): to non-scalar type
// expect(clang++): no viable conversion from
// expect(nvcc): no suitable
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto adopt(float* raw) {
#ifdef MISTAKE
    ag::device_ptr<float> p = raw;
#else
    ag::device_ptr<float> p(raw);
#endif
    return p;
}
