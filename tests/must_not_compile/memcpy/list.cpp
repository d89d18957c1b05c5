// rule: O5
// expect: because_memcpy_takes_device_spans_and_contiguous_host_ranges_of_one_element_type
#include <allograph/allograph.hpp>

#include <list>
#include <vector>

namespace ag = allograph;

void copy(ag::memory_graph& g, const std::vector<float>& host, const std::list<float>& scattered) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memcpy(ag::after(x), x.span(), scattered);
#else
    g.add_memcpy(ag::after(x), x.span(), host);
#endif
}
