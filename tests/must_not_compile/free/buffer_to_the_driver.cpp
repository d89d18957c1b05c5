// rule: F8
// expect(g++): cannot convert
// expect(clang++): conversion from
// expect(nvcc): no suitable conversion function from
#include <allograph/allograph.hpp>

namespace ag = allograph;

void free_it(ag::stream_buffer<float> result) {
#ifdef MISTAKE
    cuMemFree(result);
#else
    cuMemFree(result.release().address());
#endif
}
