// rule: A14
// expect: because_memcpy_takes_device_spans_and_contiguous_host_ranges_of_one_element_type
#include <allograph/allograph.hpp>

#include <string>
#include <vector>

namespace ag = allograph;

void copy(ag::memory_graph& g, const std::vector<std::string>& names, ag::device_span<char> y, const std::string& name) {
    const auto x = g.add_alloc<float>(1024);
#ifdef MISTAKE
    g.add_memcpy(ag::after(x), y, names);
#else
    g.add_memcpy(ag::after(x), y, name);
#endif
}
