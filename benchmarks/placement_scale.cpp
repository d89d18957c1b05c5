// Places very many random buffers at once and prints what it took.
// Usage: placement_scale [BUFFERS] [LONGEST_LIFETIME] [SEED]
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <sys/resource.h>

#include <allograph/model/detail/random.hpp>
#include <allograph/model/first_fit.hpp>
#include <allograph/model/lower_bound.hpp>
#include <allograph/model/placement.hpp>
#include <allograph/model/placement_problem.hpp>

namespace ag = allograph;

int main(int argc, char** argv) {
    const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    const std::uint64_t longest = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000;
    const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    if (count == 0 || longest == 0) {
        std::fprintf(stderr, "placement_scale: buffers and the longest lifetime must be numbers above 0\n");
        return 2;
    }
    ag::model::detail::random_source random(seed);
    std::vector<ag::model::interval_buffer> buffers;
    buffers.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t lower = random.below(count);
        const std::uint64_t size = (1 + random.below(4096)) << random.below(12);
        buffers.push_back({size, 256, {lower, lower + 1 + random.below(longest)}});
    }
    const auto start = std::chrono::steady_clock::now();
    const auto problem = ag::model::placement_problem::of_intervals(buffers);
    const ag::model::placement placed = ag::model::place_at_once(problem);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const double ratio = static_cast<double>(placed.bytes) / static_cast<double>(placed.lower_bound);
    std::printf("buffers,longest,seconds,peak_mib,lower_bound,planned,ratio,valid\n");
    std::printf("%llu,%llu,%.2f,%ld,%llu,%llu,%.4f,%s\n", static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(longest), seconds, usage.ru_maxrss / 1024,
                static_cast<unsigned long long>(placed.lower_bound), static_cast<unsigned long long>(placed.bytes), ratio,
                ag::model::is_valid(problem, placed) ? "yes" : "no");
    return 0;
}
