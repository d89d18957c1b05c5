// rule: C12
// expect: because_an_allocation_is_taken_by_its_address_and_element_type
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

auto take(ag::captured<>& captured, CUdeviceptr address) {
#ifdef MISTAKE
    return captured.take(address);
#else
    return captured.take<float>(address);
#endif
}
