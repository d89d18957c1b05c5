// Replays a buffer-lifetime trace as one memory graph: each buffer is a typed allocation, in one chain by time, as a
// program that runs one operation after the other would build it. Prints what the driver makes of it, or, with --plan,
// what a plan makes of it.
//
//     replay TRACE.csv [--unit BYTES] [--plan] [--budget MILLISECONDS] [--svg FILE]
//
// A trace is a CSV file: the line id,lower,upper,size, then a line a buffer, alive from lower to before upper.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include <allograph/allograph.hpp>
#include <allograph/plan.hpp>

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

struct options {
    const char* path = nullptr;
    const char* svg = nullptr;
    std::uint64_t unit = 1024;       // bytes that a size of 1 stands for
    std::uint64_t budget_ms = 1000;  // for the search of a plan
    bool planned = false;
};

/// The trace as a program for any graph.
constexpr auto trace_program = [](auto& g, const std::vector<trace_buffer>& buffers, const std::vector<event>& events) {
    std::vector<std::optional<ag::alloc_node<std::byte>>> tokens(buffers.size());
    std::optional<ag::node> last;
    for (const event& e : events) {
        const std::vector<ag::node> before = last ? std::vector<ag::node>{*last} : std::vector<ag::node>{};
        if (e.begins) {
            tokens[e.buffer].emplace(g.template add_alloc<std::byte>(before, buffers[e.buffer].bytes));
            last = *tokens[e.buffer];
        } else {
            last = g.add_free(before, std::move(*tokens[e.buffer]));
        }
    }
};

void print_bytes(const char* what, std::uint64_t bytes, const char* rest = "") {
    std::printf("%-16s %llu (%.1f MiB%s)\n", what, static_cast<unsigned long long>(bytes), static_cast<double>(bytes) / (1 << 20),
                rest);
}

int replay(const options& wanted) {
    const std::vector<trace_buffer> buffers = read_trace(wanted.path, wanted.unit);
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
    std::printf("%-16s %zu\n", "buffers", buffers.size());
    print_bytes("bytes asked", asked);
    print_bytes("peak live bytes", peak);

    const auto start = clock_type::now();
    ag::memory_plan plan;
    if (wanted.planned) {
        plan = ag::plan(ag::within(std::chrono::milliseconds(wanted.budget_ms)), trace_program, buffers, events);
        print_bytes("lower bound", plan.lower_bound());
        char rest[64];
        std::snprintf(rest, sizeof rest, ", %.3f of the lower bound%s", plan.ratio(), plan.optimal() ? ", optimal" : "");
        print_bytes("planned bytes", plan.arena_bytes(), rest);
        std::printf("%-16s %.0f us\n", "plan", microseconds(clock_type::now() - start));
    }
    if (wanted.svg != nullptr && !(std::ofstream(wanted.svg) << plan.svg()).flush()) {
        throw std::runtime_error(std::string(wanted.svg) + ": cannot be written");
    }

    const ag::device device{0};
    const ag::stream stream{device};
    const ag::graph_memory memory{device};

    const auto begin = clock_type::now();
    auto exec = wanted.planned ? ag::build(device, plan, trace_program, buffers, events)
                               : ag::build(device, ag::unplanned, trace_program, buffers, events);
    const auto built = clock_type::now();

    memory.trim();
    memory.reset_highs();
    exec.launch(stream);
    stream.synchronize();
    const std::uint64_t physical = memory.used_high();

    std::vector<double> launches;
    for (int i = 0; i < 21; ++i) {
        const auto each = clock_type::now();
        exec.launch(stream);
        stream.synchronize();
        launches.push_back(microseconds(clock_type::now() - each));
    }
    std::sort(launches.begin(), launches.end());

    char rest[64];
    std::snprintf(rest, sizeof rest, ", %.3f of the peak", static_cast<double>(physical) / static_cast<double>(peak));
    print_bytes("physical bytes", physical, rest);
    std::printf("%-16s %.0f us, with instantiating\n", "build", microseconds(built - begin));
    std::printf("%-16s %.1f us, median of %zu\n", "launch", launches[launches.size() / 2], launches.size());
    return 0;
}

/// A whole number of at least 1. @return false for anything else
bool read_number(const char* text, std::uint64_t& number) {
    const char* const end = text + std::strlen(text);
    const auto [rest, error] = std::from_chars(text, end, number);
    return error == std::errc{} && rest == end && number != 0;
}

/// @return false for what is no way to call this program
bool read_options(int argc, char** argv, options& wanted) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const char* const value = i + 1 < argc ? argv[i + 1] : nullptr;
        if (word == "--plan") {
            wanted.planned = true;
        } else if (word == "--svg" && value != nullptr) {
            wanted.svg = argv[++i];
            wanted.planned = true;
        } else if (word == "--unit" && value != nullptr && read_number(value, wanted.unit)) {
            ++i;
        } else if (word == "--budget" && value != nullptr && read_number(value, wanted.budget_ms)) {
            wanted.planned = true;
            ++i;
        } else if (wanted.path == nullptr && word.substr(0, 1) != "-") {
            wanted.path = argv[i];
        } else {
            return false;
        }
    }
    return wanted.path != nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    options wanted;
    if (!read_options(argc, argv, wanted)) {
        std::fprintf(stderr, "usage: replay TRACE.csv [--unit BYTES] [--plan] [--budget MILLISECONDS] [--svg FILE]\n"
                             "       --unit and --budget want whole numbers of at least 1; --budget and --svg plan, too\n");
        return 2;
    }
    try {
        return replay(wanted);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "replay: %s\n", error.what());
        return 1;
    }
}
