// rule: A7
// expect: because_the_options_of_an_allocation_are_named_on_and_shared_with
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    return g.add_alloc<float>(1024, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
#else
    return g.add_alloc<float>(1024, ag::named("x"));
#endif
}
