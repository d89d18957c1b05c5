// rule: X8
// expect: because_a_number_is_no_stream
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void run(ag::memory_graph& g, CUstream stream) {
    auto exec = std::move(g).instantiate();
#ifdef MISTAKE
    (void)stream;
    exec.launch(0);
#else
    exec.launch(stream);
#endif
}
