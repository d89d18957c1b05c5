// rule: C12
// expect: because_an_allocation_is_taken_by_its_address_and_element_type
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

auto take(ag::captured<>& captured, void* address) {
#ifdef MISTAKE
    return captured.take(address);
#else
    return captured.take(ag::device_ptr<float>(static_cast<float*>(address)));
#endif
}
