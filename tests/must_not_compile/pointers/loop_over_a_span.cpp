// rule: X8
// expect: because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

float sum(ag::stream_buffer<float>& result, std::vector<float>& host) {
    float all = 0;
#ifdef MISTAKE
    for (const float each : result.span()) {
        all += each;
    }
#else
    result.copy_to(host);
    for (const float each : host) {
        all += each;
    }
#endif
    return all;
}
