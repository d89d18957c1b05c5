// rule: G5
// expect: because_an_executable_is_launched_write_instantiate
#include <allograph/allograph.hpp>

#include <utility>

namespace ag = allograph;

void run(ag::memory_graph& g, CUstream stream) {
#ifdef MISTAKE
    g.launch(stream);
#else
    std::move(g).instantiate().launch(stream);
#endif
}
