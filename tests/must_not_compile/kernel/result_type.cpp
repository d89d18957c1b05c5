// rule: O5
// expect: write the kernel's signature: kernel<void(int, const float*, float*)>
#include <allograph/allograph.hpp>

namespace ag = allograph;

#ifdef MISTAKE
ag::kernel<int(int, float*)> fill;
#else
ag::kernel<void(int, float*)> fill;
#endif
