// Places recorded buffer lifetimes and prints how many bytes they take beside the lower bound.
// Usage: footprint DIR [MILLISECONDS...], where DIR holds files NAME.csv of lines "id,lower,upper,size" below one line of titles.
// Searches for so long, 100 and 10,000 milliseconds unless told otherwise.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <allograph/model/place.hpp>
#include <allograph/model/placement.hpp>
#include <allograph/model/placement_problem.hpp>

namespace ag = allograph;
namespace fs = std::filesystem;

namespace {

/// The four numbers of a line. @return false if it holds anything else
bool read_line(std::string_view line, std::uint64_t (&numbers)[4]) {
    const char* at = line.data();
    const char* const end = line.data() + line.size();
    for (int i = 0; i < 4; ++i) {
        if (i != 0 && (at == end || *at++ != ',')) {
            return false;
        }
        const auto [stop, error] = std::from_chars(at, end, numbers[i]);
        if (error != std::errc()) {
            return false;
        }
        at = stop;
    }
    return at == end || (*at == '\r' && at + 1 == end);
}

bool read_trace(const fs::path& path, std::vector<ag::model::interval_buffer>& buffers) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) {
        std::fprintf(stderr, "footprint: %s: cannot be read, or is empty\n", path.c_str());
        return false;
    }
    for (int number = 2; std::getline(file, line); ++number) {
        std::uint64_t n[4];
        if (line.empty()) {
            continue;
        }
        if (!read_line(line, n) || n[1] >= n[2]) {
            std::fprintf(stderr, "footprint: %s:%d: not \"id,lower,upper,size\" with lower below upper\n", path.c_str(), number);
            return false;
        }
        buffers.push_back({n[3], 1, {n[1], n[2]}});
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<int> budgets;
    for (int i = 2; i < argc; ++i) {
        const char* const end = argv[i] + std::char_traits<char>::length(argv[i]);
        if (std::from_chars(argv[i], end, budgets.emplace_back()).ptr != end || budgets.back() < 1) {
            argc = 0;  // which is no way to call this
        }
    }
    if (argc < 2) {
        std::fprintf(stderr, "usage: footprint DIR [MILLISECONDS...]\n");
        return 2;
    }
    if (budgets.empty()) {
        budgets = {100, 10'000};
    }
    std::error_code error;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(argv[1], error)) {
        if (entry.path().extension() == ".csv") {
            paths.push_back(entry.path());
        }
    }
    if (error) {
        std::fprintf(stderr, "footprint: %s: %s\n", argv[1], error.message().c_str());
        return 1;
    }
    if (paths.empty()) {
        std::fprintf(stderr, "footprint: %s: holds no .csv file\n", argv[1]);
        return 1;
    }
    std::sort(paths.begin(), paths.end());
    std::printf("trace,buffers,lower_bound,planned,ratio,milliseconds,budget_ms\n");
    for (const fs::path& path : paths) {
        std::vector<ag::model::interval_buffer> buffers;
        if (!read_trace(path, buffers)) {
            return 1;
        }
        for (const int budget : budgets) {
            const auto start = std::chrono::steady_clock::now();
            const auto problem = ag::model::placement_problem::of_intervals(buffers);
            const ag::model::placement placed = ag::model::place(problem, {.budget = std::chrono::milliseconds(budget)});
            const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
            if (!ag::model::is_valid(problem, placed)) {
                std::fprintf(stderr, "footprint: %s: the placement is not valid\n", path.c_str());
                return 1;
            }
            const double ratio =
                placed.lower_bound == 0 ? 1.0 : static_cast<double>(placed.bytes) / static_cast<double>(placed.lower_bound);
            std::printf("%s,%zu,%llu,%llu,%.4f,%.1f,%d\n", path.stem().c_str(), buffers.size(),
                        static_cast<unsigned long long>(placed.lower_bound), static_cast<unsigned long long>(placed.bytes), ratio,
                        spent.count(), budget);
            std::fflush(stdout);
        }
    }
    return 0;
}
