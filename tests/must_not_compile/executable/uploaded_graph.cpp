// rule: G5
// expect: because_an_executable_is_launched_write_instantiate
#include <allograph/allograph.hpp>

namespace ag = allograph;

void run(ag::graph& g, CUstream stream) {
#ifdef MISTAKE
    g.upload(stream);
#else
    g.instantiate().upload(stream);
#endif
}
