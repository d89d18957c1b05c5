// rule: O5
// expect: because_a_device_ptr_keeps_its_element_type_and_const
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto halves(ag::device_ptr<float> x) {
#ifdef MISTAKE
    ag::device_ptr<double> y(x);
#else
    ag::device_ptr<double> y(x.address());
#endif
    return y;
}
