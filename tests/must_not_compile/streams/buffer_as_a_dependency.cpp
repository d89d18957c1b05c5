// rule: X8
// expect: because_after_takes_nodes_write_what_the_add_members_return
#include <allograph/allograph.hpp>

namespace ag = allograph;

void use(ag::memory_graph& g, const ag::stream_buffer<float>& earlier) {
#ifdef MISTAKE
    g.add_memset(ag::after(earlier), earlier.span(), 0.0f);
#else
    g.add_memset(earlier.span(), 0.0f);
#endif
}
