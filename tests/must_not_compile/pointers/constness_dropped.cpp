// rule: O6
// expect: because_a_device_ptr_keeps_its_element_type_and_const
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto writable(ag::device_ptr<const float> x) {
#ifdef MISTAKE
    ag::device_ptr<float> y = x;
#else
    ag::device_ptr<const float> y = x;
#endif
    return y;
}
