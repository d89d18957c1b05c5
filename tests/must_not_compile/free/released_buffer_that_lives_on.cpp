// rule: F8
// expect: because_releasing_needs_an_owner_write_std_move
#include <allograph/allograph.hpp>

namespace ag = allograph;

void free_it(ag::stream_buffer<float> result) {
#ifdef MISTAKE
    cuMemFree(result);
#else
    cuMemFree(result.release().address());
#endif
}
