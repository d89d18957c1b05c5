// Replays a buffer-lifetime trace as one memory graph: each buffer is a typed allocation, in one chain by time, as a
// program that runs one operation after the other would build it. Prints what the driver makes of it.
//
//     replay TRACE.csv [--unit BYTES]
//
// A trace is a CSV file: the line id,lower,upper,size, then a line a buffer, alive from lower to before upper.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include <allograph/allograph.hpp>

#include "trace.hpp"

namespace ag = allograph;

namespace {

struct event {
    std::int64_t time;
    bool begins;  // at one time, ends come before beginnings
    std::size_t buffer;
};

std::vector<event> events_in_order(const std::vector<trace_buffer>& buffers) {
    std::vector<event> events;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        events.push_back({buffers[i].lower, true, i});
        events.push_back({buffers[i].upper, false, i});
    }
    std::sort(events.begin(), events.end(), [](const event& a, const event& b) {
        return a.time != b.time ? a.time < b.time : a.begins != b.begins ? b.begins : a.buffer < b.buffer;
    });
    return events;
}

using clock_type = std::chrono::steady_clock;

double microseconds(clock_type::duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

int replay(const char* path, std::uint64_t unit) {
    const std::vector<trace_buffer> buffers = read_trace(path, unit);
    const std::vector<event> events = events_in_order(buffers);

    std::uint64_t asked = 0;
    std::uint64_t live = 0;
    std::uint64_t peak = 0;
    for (const event& e : events) {
        const std::uint64_t bytes = buffers[e.buffer].bytes;
        asked += e.begins ? bytes : 0;
        live = e.begins ? live + bytes : live - bytes;
        peak = std::max(peak, live);
    }

    const ag::device device{0};
    const ag::stream stream{device};
    const ag::graph_memory memory{device};
    ag::memory_graph g{device};

    const auto start = clock_type::now();
    std::vector<std::optional<ag::alloc_node<std::byte>>> tokens(buffers.size());
    std::optional<ag::node> last;
    for (const event& e : events) {
        const std::vector<ag::node> before = last ? std::vector<ag::node>{*last} : std::vector<ag::node>{};
        if (e.begins) {
            tokens[e.buffer].emplace(g.add_alloc<std::byte>(before, buffers[e.buffer].bytes));
            last = *tokens[e.buffer];
        } else {
            last = g.add_free(before, std::move(*tokens[e.buffer]));
        }
    }
    const auto built = clock_type::now();
    auto exec = std::move(g).instantiate();
    const auto instantiated = clock_type::now();

    memory.trim();
    memory.reset_highs();
    exec.launch(stream);
    stream.synchronize();
    const std::uint64_t physical = memory.used_high();

    std::vector<double> launches;
    for (int i = 0; i < 21; ++i) {
        const auto begin = clock_type::now();
        exec.launch(stream);
        stream.synchronize();
        launches.push_back(microseconds(clock_type::now() - begin));
    }
    std::sort(launches.begin(), launches.end());

    const auto mib = [](std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); };
    std::printf("buffers          %zu\n", buffers.size());
    std::printf("bytes asked      %llu (%.1f MiB)\n", static_cast<unsigned long long>(asked), mib(asked));
    std::printf("peak live bytes  %llu (%.1f MiB)\n", static_cast<unsigned long long>(peak), mib(peak));
    std::printf("physical bytes   %llu (%.1f MiB, %.3f of the peak)\n", static_cast<unsigned long long>(physical), mib(physical),
                static_cast<double>(physical) / static_cast<double>(peak));
    std::printf("build            %.0f us, instantiate %.0f us\n", microseconds(built - start), microseconds(instantiated - built));
    std::printf("launch           %.1f us, median of %zu\n", launches[launches.size() / 2], launches.size());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const char* path = nullptr;
    std::uint64_t unit = 1024;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--unit") == 0 && i + 1 < argc) {
            const char* const text = argv[++i];
            const auto [rest, error] = std::from_chars(text, text + std::strlen(text), unit);
            if (error != std::errc{} || *rest != '\0' || unit == 0) {
                std::fprintf(stderr, "replay: --unit wants bytes, a whole number of at least 1\n");
                return 2;
            }
        } else if (path == nullptr && argv[i][0] != '-') {
            path = argv[i];
        } else {
            path = nullptr;
            break;
        }
    }
    if (path == nullptr) {
        std::fprintf(stderr, "usage: replay TRACE.csv [--unit BYTES]\n");
        return 2;
    }
    try {
        return replay(path, unit);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "replay: %s\n", error.what());
        return 1;
    }
}
