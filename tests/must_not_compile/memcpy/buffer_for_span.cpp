// rule: X8
// expect: because_memcpy_takes_device_spans_and_contiguous_host_ranges_of_one_element_type
#include <allograph/allograph.hpp>

namespace ag = allograph;

void copy(ag::memory_graph& g, const ag::stream_buffer<float>& earlier) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memcpy(ag::after(x), x.span(), earlier);
#else
    g.add_memcpy(ag::after(x), x.span(), earlier.span());
#endif
}
