// rule: X8
// expect(g++): cannot convert
// expect(clang++): no viable conversion from
// expect(nvcc): no suitable conversion function from
#include <allograph/allograph.hpp>

#include <cstring>
#include <vector>

namespace ag = allograph;

void read(ag::stream_buffer<float>& result, std::vector<float>& host) {
#ifdef MISTAKE
    std::memcpy(host.data(), result.data(), result.size_bytes());
#else
    result.copy_to(host);
#endif
}
