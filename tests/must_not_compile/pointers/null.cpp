// rule: O1
// expect: because_a_raw_pointer_has_no_allocation_write_device_ptr
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto empty() {
#ifdef MISTAKE
    ag::device_ptr<float> p = nullptr;
#else
    ag::device_ptr<float> p{};
#endif
    return p;
}
