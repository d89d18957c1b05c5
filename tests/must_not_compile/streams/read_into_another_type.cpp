// rule: O5
// expect(g++): cannot convert
// expect(clang++): no viable conversion from
// expect(nvcc): cannot be called with the given argument list
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

void read(const ag::stream_buffer<float>& result, std::vector<double>& wide, std::vector<float>& host) {
#ifdef MISTAKE
    (void)host;
    result.copy_to(wide);
#else
    (void)wide;
    result.copy_to(host);
#endif
}
