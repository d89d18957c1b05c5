// rule: F6
// expect: because_only_an_explicit_address_or_get_leaves_a_device_ptr
#include <allograph/allograph.hpp>

namespace ag = allograph;

float* raw(const ag::alloc_node<float>& x) {
#ifdef MISTAKE
    return x.data();
#else
    return x.data().get();
#endif
}
