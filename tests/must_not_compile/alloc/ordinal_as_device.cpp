// rule: A6
// expect: because_graph_memory_lies_on_a_device_write_device_and_its_ordinal
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto allocate(ag::memory_graph& g) {
#ifdef MISTAKE
    return g.add_alloc<float>(1024, ag::on(1));
#else
    return g.add_alloc<float>(1024, ag::on(ag::device{1}));
#endif
}
