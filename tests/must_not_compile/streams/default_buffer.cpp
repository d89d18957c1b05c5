// rule: X8
// expect(g++): because_only_a_launch_makes_a_stream_buffer
// expect(clang++): because_only_a_launch_makes_a_stream_buffer
// expect(nvcc): the default constructor of "allograph::v0::stream_buffer<float>" cannot be referenced
#include <allograph/allograph.hpp>

#include <optional>

namespace ag = allograph;

#ifdef MISTAKE
ag::stream_buffer<float> later;
#else
std::optional<ag::stream_buffer<float>> later;
#endif
