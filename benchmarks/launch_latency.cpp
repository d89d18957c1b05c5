// What a launch costs against the footprint of its graph: one allocation of so many bytes, a memset of the first 256 of
// them, and its free. Usage: launch_latency [LAUNCHES]. Prints CSV: the bytes, and the medians of the microseconds that the
// call takes, and that pass until the work is done.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <allograph/allograph.hpp>

namespace ag = allograph;

namespace {

using clock_type = std::chrono::steady_clock;

double microseconds(clock_type::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void measure(std::size_t bytes, std::size_t launches) {
    const ag::stream stream;
    ag::memory_graph g;
    auto x = g.add_alloc<std::byte>(bytes);
    auto set = g.add_memset(ag::after(x), x.span().first(256), std::byte{1});
    g.add_free(ag::after(set), std::move(x));
    auto exec = std::move(g).instantiate();
    exec.upload(stream);
    for (int warm = 0; warm < 3; ++warm) {
        exec.launch(stream);
    }
    stream.synchronize();
    std::vector<double> calls, done;
    for (std::size_t i = 0; i < launches; ++i) {
        const auto begin = clock_type::now();
        exec.launch(stream);
        const auto called = clock_type::now();
        stream.synchronize();
        calls.push_back(microseconds(called - begin));
        done.push_back(microseconds(clock_type::now() - begin));
    }
    std::printf("%zu,%.2f,%.2f\n", bytes, median(calls), median(done));
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t launches = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 301;
    if (launches == 0 || argc > 2) {
        std::fprintf(stderr, "usage: launch_latency [LAUNCHES]\n");
        return 2;
    }
    try {
        std::printf("bytes,call us,done us\n");
        for (const std::size_t bytes : {std::size_t{64} << 20, std::size_t{1} << 30, std::size_t{8} << 30}) {
            measure(bytes, launches);
            ag::graph_memory(ag::device{0}).trim();
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "launch_latency: %s\n", error.what());
        return 1;
    }
}
