// rule: A14
// expect: because_device_memory_holds_trivially_copyable_values_not_const_aligned_to_at_most_512
#include <allograph/allograph.hpp>

namespace ag = allograph;

struct alignas(1024) page {
    char bytes[1024];
};
struct alignas(512) half_page {
    char bytes[512];
};
auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    return g.add_alloc<page>(16);
#else
    return g.add_alloc<half_page>(32);
#endif
}
