// libFuzzer: programs made from the fuzzer's bytes are judged alike by the model and by its oracle.
// `./dev fuzz` builds and runs it.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "../unit/model_oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::size_t used = 0;
    const auto choose = [&](unsigned n) -> unsigned { return used < size ? data[used++] % n : 0; };
    // A step takes about a dozen bytes; without bytes all steps are alike.
    const int steps = static_cast<int>(size / 8 < 60 ? size / 8 : 60);
    model_test::tally count;
    const std::string trouble = model_test::compare(choose, steps, count);
    if (!trouble.empty()) {
        std::fprintf(stderr, "%s\n", trouble.c_str());
        std::abort();
    }
    return 0;
}
