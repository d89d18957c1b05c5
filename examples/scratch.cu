// The scratch memory of library calls as allocations of the graph: CUB sorts, a sum and a maximum, one after the other, each with
// temporary storage of the size that it asks for. Planned, they share one arena. Checked against the host.
//
//     scratch [--count 4194304] [--relaunch N]
//
// Needs a GPU, for CUB comes with kernels; on the reference driver it says so.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <numeric>

#include <allograph/capture.hpp>
#include <allograph/plan.hpp>
#include <allograph_reference/reference_driver.h>

#include "support.hpp"

namespace ag = allograph;

namespace {

using key = unsigned;
struct totals {
    unsigned long long sum;
    key largest;
};

void must(cudaError_t result, const char* call) {
    if (result != cudaSuccess) {
        throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
    }
}

// Each call as CUB has it: without scratch memory it writes the bytes that it needs.

cudaError_t sum(void* scratch, std::size_t& bytes, const key* in, totals* out, int count, CUstream stream) {
    return cub::DeviceReduce::Reduce(scratch, bytes, in, &out->sum, count, ::cuda::std::plus<unsigned long long>{}, 0ULL, stream);
}
cudaError_t largest(void* scratch, std::size_t& bytes, const key* in, totals* out, int count, CUstream stream) {
    return cub::DeviceReduce::Max(scratch, bytes, in, &out->largest, count, stream);
}
cudaError_t sort(void* scratch, std::size_t& bytes, const key* in, key* out, int count, CUstream stream) {
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, count, 0, 32, stream);
}
cudaError_t sort_downwards(void* scratch, std::size_t& bytes, const key* in, key* out, int count, CUstream stream) {
    return cub::DeviceRadixSort::SortKeysDescending(scratch, bytes, in, out, count, 0, 32, stream);
}

/// Puts a call of CUB into the graph: its scratch memory begins after `last` and ends after the call.
/// @return the free of it
template <class Graph, class Out>
ag::node add_cub(Graph& g, const ag::node& last, const char* name,
                 cudaError_t (*call)(void*, std::size_t&, const key*, Out*, int, CUstream), ag::device_span<const key> in,
                 ag::device_ptr<Out> out) {
    const int count = static_cast<int>(in.size());
    std::size_t bytes = 0;
    must(call(nullptr, bytes, nullptr, nullptr, count, nullptr), name);
    auto scratch = g.template add_alloc<std::byte>(ag::after(last), std::max<std::size_t>(bytes, 1), ag::named(name));
    const auto called = g.add_captured(
        ag::after(scratch),
        [=, memory = scratch.data()](CUstream stream) {
            std::size_t size = bytes;
            must(call(memory.get(), size, in.data().get(), out.get(), count, stream), name);
        },
        ag::uses(ag::reads(in), ag::writes(out), ag::writes(scratch)));
    return g.add_free(ag::after(called), std::move(scratch));
}

struct sorted_keys {
    std::vector<key> up;
    std::vector<key> down;
};

/// Sum and largest of the keys; in ascending and in descending order they go to the host.
struct statistics {
    template <class Graph>
    auto operator()(Graph& g, const std::vector<key>& input, sorted_keys* sorted) const {
        auto keys = g.template add_alloc<key>(input.size(), ag::named("keys"));
        auto up = g.template add_alloc<key>(ag::after(keys), input.size(), ag::named("ascending"));
        auto found = g.template add_alloc<totals>(ag::after(up), 1, ag::named("totals"));
        ag::node last = g.add_memcpy(ag::after(found), keys.span(), input);
        last = add_cub(g, last, "cub::DeviceReduce::Reduce", &sum, keys.span(), found.data());
        last = add_cub(g, last, "cub::DeviceRadixSort::SortKeys", &sort, keys.span(), up.data());
        last = g.add_free(ag::after(last), std::move(keys));
        last = add_cub(g, last, "cub::DeviceReduce::Max", &largest, up.span(), found.data());
        last = g.add_memcpy(ag::after(last), sorted->up, up.span());
        auto down = g.template add_alloc<key>(ag::after(last), input.size(), ag::named("descending"));
        last = add_cub(g, down, "cub::DeviceRadixSort::SortKeysDescending", &sort_downwards, up.span(), down.data());
        last = g.add_free(ag::after(last), std::move(up));
        last = g.add_memcpy(ag::after(last), sorted->down, down.span());
        g.add_free(ag::after(last), std::move(down));
        return ag::outputs(std::move(found));
    }
};

template <class Exec>
bool check(const char* what, Exec&& exec, std::size_t launches, const ag::stream& stream, const std::vector<key>& input,
           sorted_keys& sorted) {
    std::vector<totals> found(1);
    std::fill(sorted.up.begin(), sorted.up.end(), key{0});  // in place: the graph has their addresses
    std::fill(sorted.down.begin(), sorted.down.end(), key{0});
    const bool flat = example::relaunch(launches, stream, [&] {
        const auto [all] = exec.launch(stream);
        all.copy_to(found);
        stream.synchronize();
    });
    std::vector<key> expected = input;
    std::sort(expected.begin(), expected.end());
    const bool good = sorted.up == expected && std::equal(sorted.down.begin(), sorted.down.end(), expected.rbegin()) &&
                      found[0].largest == expected.back() &&
                      found[0].sum == std::accumulate(expected.begin(), expected.end(), 0ULL);
    std::printf("%s: %s, %llu bytes of physical memory\n", good ? "  good" : "FAILED", what,
                static_cast<unsigned long long>(exec.footprint().bytes()));
    return good && flat;
}

int scratch(example::arguments& given) {
    const std::size_t count = given.take_count("--count", std::size_t{1} << 22, std::size_t{1} << 30);
    const std::size_t launches = given.take_count("--relaunch", 1, 100000000);
    if (!given.rest().empty()) {
        throw example::bad_input("there is nothing to read: '" + given.rest()[0] + "' is too much");
    }
    if (allograph_reference_active()) {
        std::printf("scratch: CUB needs a GPU, and this is the reference driver: nothing was done\n");
        return 0;
    }
    const ag::stream stream;
    std::vector<key> input(count);
    std::uint64_t seed = 1;
    for (key& each : input) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        each = static_cast<key>(seed >> 33U);
    }
    sorted_keys sorted{std::vector<key>(count), std::vector<key>(count)};
    const ag::memory_plan plan = ag::plan(statistics{}, input, &sorted);
    const auto& arena = plan.arenas()[0];
    std::printf(
        "scratch: %zu keys; keys and scratch memory: planned %llu bytes, %llu if none shared, no plan takes fewer than %llu\n",
        count, static_cast<unsigned long long>(arena.bytes), static_cast<unsigned long long>(arena.sum),
        static_cast<unsigned long long>(arena.lower_bound));
    bool good = check("planned", ag::build(ag::device{0}, plan, statistics{}, input, &sorted), launches, stream, input, sorted);
    good = check("unplanned", ag::build(ag::device{0}, ag::unplanned, statistics{}, input, &sorted), launches, stream, input,
                 sorted) &&
           good;
    return good && arena.bytes < arena.sum ? 0 : 1;
}

}  // namespace

int main(int count, char** words) { return example::run("scratch", count, words, scratch); }
