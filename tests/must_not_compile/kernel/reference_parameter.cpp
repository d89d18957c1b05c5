// rule: O5
// expect: a kernel cannot take a reference
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
ag::kernel<void(int&, float*)> fill;
#else
ag::kernel<void(int*, float*)> fill;
#endif
