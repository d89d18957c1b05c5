// rule: O5
// expect: because_a_device_span_keeps_its_element_type_and_const
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto writable(ag::device_span<const float> x) {
#ifdef MISTAKE
    ag::device_span<float> y = x;
#else
    ag::device_span<const float> y = x;
#endif
    return y;
}
