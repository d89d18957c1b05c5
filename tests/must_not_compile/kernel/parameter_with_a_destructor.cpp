// rule: A14
// expect: kernel parameters are copied bytewise: pass trivially copyable values
#include <allograph/allograph.hpp>

#include <string>

namespace ag = allograph;

#ifdef MISTAKE
ag::kernel<void(std::string, float*)> fill;
#else
ag::kernel<void(const char*, float*)> fill;
#endif
