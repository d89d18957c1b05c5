// rule: X8
// expect(g++): no matching function for call to
// expect(clang++): no matching conversion
// expect(nvcc): no instance of constructor
#include <allograph/allograph.hpp>

#include <span>

namespace ag = allograph;

auto view(const ag::alloc_node<float>& x) {
#ifdef MISTAKE
    return std::span<float>(x.span());
#else
    return ag::device_span<float>(x.span());
#endif
}
