// rule: O5
// expect(g++): no match for
// expect(clang++): invalid operands to binary expression
// expect(nvcc): no operator "-" matches these operands
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto distance(ag::device_ptr<float> a, ag::device_ptr<double> b, ag::device_ptr<double> c) {
#ifdef MISTAKE
    (void)c;
    return b - a;
#else
    (void)a;
    return c - b;
#endif
}
