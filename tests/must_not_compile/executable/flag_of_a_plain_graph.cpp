// rule: G7
// expect: because_options_are_types_write_upload_to_use_node_priorities_or_device_launch
#include <allograph/allograph.hpp>

namespace ag = allograph;

auto run(const ag::graph& g) {
#ifdef MISTAKE
    return g.instantiate(CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
#else
    return g.instantiate(ag::device_launch);
#endif
}
