// rule: X8
// expect: because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

float first(ag::stream_buffer<float>& result, std::vector<float>& host) {
#ifdef MISTAKE
    return *result.data();
#else
    result.copy_to(host);
    return *host.data();
#endif
}
