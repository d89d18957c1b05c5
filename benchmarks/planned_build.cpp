// 5,000 triples of allocation, kernel and free in a chain, built and instantiated unplanned and planned, side by side.
// Usage: planned_build [TRIPLES [ROUNDS]]. Prints CSV; the last line is the ratio, of medians.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <allograph/plan.hpp>

#include "../examples/saxpy.hpp"

namespace ag = allograph;

namespace {

constexpr int elements = 1024;

constexpr auto triples = [](auto& g, const ag::kernel<void(int, float, const float*, float*)>& saxpy, std::size_t count) {
    ag::node last = g.add_empty();
    for (std::size_t i = 0; i < count; ++i) {
        auto x = g.template add_alloc<float>(ag::after(last), elements);
        auto k = g.add_kernel(ag::after(x), saxpy, ag::grid_for(elements), elements, 2.0f, x.data(), x.data());
        last = g.add_free(ag::after(k), std::move(x));
    }
};

using clock_type = std::chrono::steady_clock;

/// What making something takes; its destruction does not count.
template <class Make>
double milliseconds(Make&& make) {
    const auto begin = clock_type::now();
    const auto made = make();
    const auto end = clock_type::now();
    return std::chrono::duration<double, std::milli>(end - begin).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

int run(std::size_t count, std::size_t rounds) {
    const ag::stream starts_the_driver;
    const saxpy_module module;
    const auto kernel = module.kernel();
    std::vector<double> unplanned, planned, planning;
    for (std::size_t i = 0; i <= rounds; ++i) {
        double times[2] = {};
        for (std::size_t k = 0; k < 2; ++k) {  // either goes first in turn
            if ((i + k) % 2 == 0) {
                times[0] = milliseconds([&] { return ag::build(ag::device{0}, ag::unplanned, triples, kernel, count); });
            } else {
                times[1] = milliseconds([&] { return ag::build(ag::device{0}, triples, kernel, count); });
            }
        }
        const double plan_only = milliseconds([&] { return ag::plan(triples, kernel, count); });
        if (i != 0) {  // the first warms up
            unplanned.push_back(times[0]);
            planned.push_back(times[1]);
            planning.push_back(plan_only);
        }
    }
    std::printf("variant,triples,milliseconds\n");
    std::printf("unplanned,%zu,%.3f\nplanned,%zu,%.3f\nplan alone,%zu,%.3f\n", count, median(unplanned), count, median(planned),
                count, median(planning));
    std::printf("ratio,%zu,%.2f\n", count, median(unplanned) / median(planned));
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5000;
    const std::size_t rounds = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 11;
    if (count == 0 || rounds == 0 || argc > 3) {
        std::fprintf(stderr, "usage: planned_build [TRIPLES [ROUNDS]]\n");
        return 2;
    }
    try {
        return run(count, rounds);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "planned_build: %s\n", error.what());
        return 1;
    }
}
