// rule: A9
// expect: because_peers_are_a_device_or_one_range_of_devices_and_read_and_write
#include <allograph/allograph.hpp>

#include <vector>

namespace ag = allograph;

auto allocate(ag::memory_graph& g, const std::vector<CUmemAccessDesc>& descriptors) {
#ifdef MISTAKE
    return g.add_alloc<float>(1024, ag::named("x").shared_with(descriptors));
#else
    return g.add_alloc<float>(1024, ag::named("x").shared_with(ag::device{descriptors.front().location.id}));
#endif
}
