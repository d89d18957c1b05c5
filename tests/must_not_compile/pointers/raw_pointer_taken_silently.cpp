// rule: F2
// expect: because_a_raw_pointer_has_no_allocation_write_device_ptr
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
