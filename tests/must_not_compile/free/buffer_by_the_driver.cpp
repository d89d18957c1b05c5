// rule: F8 X10
// expect: because_only_an_explicit_address_or_get_leaves_a_device_ptr
#include <allograph/allograph.hpp>

namespace ag = allograph;

void free_it(ag::stream_buffer<float>& result) {
#ifdef MISTAKE
    cuMemFree(result.data());
#else
    result.free();
#endif
}
