// rule: O5
// expect(g++): no matching function for call to
// expect(clang++): no matching constructor
// expect(nvcc): no instance of constructor
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
