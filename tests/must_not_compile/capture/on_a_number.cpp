// rule: C11
// expect: because_a_number_is_no_stream
#include <allograph/allograph.hpp>
#include <allograph/capture.hpp>

#include <utility>

namespace ag = allograph;

void capture(ag::memory_graph& g, const ag::stream& stream) {
#ifdef MISTAKE
    auto scope = std::move(g).capture(1);
#else
    auto scope = std::move(g).capture(stream);
#endif
}
