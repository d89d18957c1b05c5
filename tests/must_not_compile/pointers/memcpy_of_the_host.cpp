// rule: X8
// expect: because_only_an_explicit_address_or_get_leaves_a_device_ptr
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
