// rule: F8 X10
// expect(g++): cannot convert
// expect(clang++): conversion from
// expect(nvcc): no suitable conversion function from
#include <allograph/allograph.hpp>

namespace ag = allograph;

void free_it(ag::stream_buffer<float>& result) {
#ifdef MISTAKE
    cuMemFree(result.data());
#else
    result.free();
#endif
}
