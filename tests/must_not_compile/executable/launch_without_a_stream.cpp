// rule: X8
// expect: because_a_launch_runs_on_a_stream_name_it
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void run(ag::memory_graph& g, CUstream stream) {
    auto exec = std::move(g).instantiate();
#ifdef MISTAKE
    (void)stream;
    exec.launch();
#else
    exec.launch(stream);
#endif
}
