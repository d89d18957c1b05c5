// rule: F6
// expect(g++): cannot convert
// expect(clang++): no viable conversion from returned value
// expect(nvcc): no suitable conversion function from
#include <allograph/allograph.hpp>

namespace ag = allograph;

float* raw(const ag::alloc_node<float>& x) {
#ifdef MISTAKE
    return x.data();
#else
    return x.data().get();
#endif
}
