// rule: X8
// expect: because_only_a_launch_makes_a_stream_buffer
#include <allograph/allograph.hpp>

#include <optional>

namespace ag = allograph;

#ifdef MISTAKE
ag::stream_buffer<float> later;
#else
std::optional<ag::stream_buffer<float>> later;
#endif
