// What dlsym answers that depends on who asks: this program's own `answer` comes first, the library's is the next.
#include <dlfcn.h>

#include <cstdio>
#include <initializer_list>

extern "C" __attribute__((visibility("default"))) int answer() { return 1; }
extern "C" int next_answer();

namespace {

void search(const char* where, void* handle, const char* name) {
    dlerror();
    const bool found = dlsym(handle, name) != nullptr;
    const char* error = dlerror();
    std::printf("%s %s: %s, %s\n", where, name, found ? "found" : "not found", error == nullptr ? "no error" : "an error");
}

}  // namespace

int main() {
    std::printf("the next answer: %d\n", next_answer());
    int (*mine)() = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "answer"));
    std::printf("the first answer: %d\n", mine == nullptr ? 0 : mine());
    for (const char* name : {"cuGetProcAddress_v2", "cuGraphInstantiateWithFlags", "cuGraphCreate", "answer", "nothing"}) {
        search("default", RTLD_DEFAULT, name);
        search("next", RTLD_NEXT, name);
        search("program", dlopen(nullptr, RTLD_NOW), name);
    }
}
