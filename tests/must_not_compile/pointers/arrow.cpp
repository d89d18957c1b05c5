// rule: X8
// expect: because_the_host_cannot_dereference_device_memory_copy_it_with_add_memcpy
#include <allograph/allograph.hpp>

namespace ag = allograph;

struct particle {
    float mass;
};
float mass(ag::device_ptr<particle> there, const particle& here) {
#ifdef MISTAKE
    return there->mass;
#else
    (void)there;
    return here.mass;
#endif
}
