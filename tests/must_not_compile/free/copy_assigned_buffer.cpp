// rule: F8
// expect: because_a_buffer_is_freed_once_write_std_move
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void free_it(ag::stream_buffer<float>& kept, ag::stream_buffer<float>& result) {
#ifdef MISTAKE
    kept = result;
#else
    kept = std::move(result);
#endif
}
