// Has `answer` as well, and asks for the one behind itself: there is none, and 0 says so. A dlsym that hides the asker from the
// C library finds this one.
#include <dlfcn.h>

extern "C" __attribute__((visibility("default"))) int answer() { return 2; }

extern "C" __attribute__((visibility("default"))) int next_answer() {
    int (*next)() = reinterpret_cast<int (*)()>(dlsym(RTLD_NEXT, "answer"));
    return next == nullptr ? 0 : next();
}
