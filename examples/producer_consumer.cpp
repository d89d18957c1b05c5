// Two graphs on two streams, as a pipeline: the producer's graph allocates a frame and fills it, the consumer's graph adds it
// to a total and frees it. Events order the two, and two frames are under way at a time, so that one is made while the other
// is read. However many rounds there are, the memory in use stays what it was after the first.
//
//     producer_consumer [--relaunch ROUNDS]     1,000 unless told otherwise
//
// Frame r holds 2 r + 1, so the total of N frames is N * N, up to rounding; the host adds the same numbers in the same order.

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <allograph/allograph.hpp>

#include "saxpy.hpp"
#include "support.hpp"

namespace ag = allograph;

namespace {

constexpr int elements = 1 << 14;

using saxpy_kernel = ag::kernel<void(int, float, const float*, float*)>;
using executable = decltype(std::declval<ag::memory_graph>().instantiate());

/// A place in a stream, for another stream to wait for.
class event {
public:
    event() { ag::driver::check(cuEventCreate(&event_, CU_EVENT_DISABLE_TIMING), "cuEventCreate", {__FILE__, __LINE__}); }
    event(const event&) = delete;
    event& operator=(const event&) = delete;
    ~event() { cuEventDestroy(event_); }

    void record(ag::stream_ref stream) const {
        ag::driver::check(cuEventRecord(event_, stream.get()), "cuEventRecord", {__FILE__, __LINE__});
    }
    /// Lets what comes next on the stream wait for what was recorded last, if anything was.
    void hold_up(ag::stream_ref stream) const {
        ag::driver::check(cuStreamWaitEvent(stream.get(), event_, 0), "cuStreamWaitEvent", {__FILE__, __LINE__});
    }

private:
    CUevent event_ = nullptr;
};

/// Memory that outlives the rounds: the output of a graph that runs once.
ag::stream_buffer<float> lasting(const char* name, float value, ag::stream_ref stream) {
    ag::memory_graph g;
    auto memory = g.add_alloc<float>(elements, ag::named(name));
    g.add_memset(ag::after(memory), memory.span(), value);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(memory)));
    auto [buffer] = exec.launch(stream);
    return std::move(buffer);
}

struct lasting_memory {
    ag::stream_buffer<float> ones, round;  // the producer's
    ag::stream_buffer<float> total;        // the consumer's
};

/// The graphs of one frame, and the events that order them.
class lane {
public:
    lane(const saxpy_kernel& saxpy, const lasting_memory& memory) {
        ag::memory_graph producer;
        auto frame = producer.add_alloc<float>(elements, ag::named("frame"));
        auto set = producer.add_memset(ag::after(frame), frame.span(), 1.0f);
        auto fill =
            producer.add_kernel(ag::after(set), saxpy, ag::grid_for(elements), elements, 2.0f, memory.round.data(), frame.data());
        producer.add_kernel(ag::after(fill), saxpy, ag::grid_for(elements), elements, 1.0f, memory.ones.data(),
                            memory.round.data());
        frame_ = frame.data();

        ag::memory_graph consumer;
        auto add = consumer.add_kernel(saxpy, ag::grid_for(elements), elements, 1.0f, frame.data(), memory.total.data());
        consumer.add_free(ag::after(add), std::move(frame));  // the allocation of the other graph, which is its fate

        producer_.emplace(std::move(producer).instantiate());
        consumer_.emplace(std::move(consumer).instantiate());
    }

    /// Puts one round on the streams, and returns before it ran.
    void launch(ag::stream_ref producing, ag::stream_ref consuming) {
        consumed_.hold_up(producing);
        producer_->launch(producing);
        try {
            produced_.record(producing);
            produced_.hold_up(consuming);
            consumer_->launch(consuming);
        } catch (...) {
            cuMemFreeAsync(frame_.address(), producing.get());  // nobody else will
            throw;
        }
        consumed_.record(consuming);
    }

private:
    ag::device_ptr<float> frame_;
    event produced_, consumed_;
    std::optional<executable> producer_, consumer_;
};

int producer_consumer(example::arguments& given) {
    const std::size_t rounds = given.take_count("--relaunch", 1000, 1'000'000'000);
    if (!given.rest().empty()) {
        throw example::bad_input("it takes no file");
    }
    const ag::stream producing, consuming;
    const ag::graph_memory memory{ag::device{0}};
    const saxpy_module module;
    const lasting_memory lasts{lasting("ones", 1.0f, producing), lasting("round", 0.0f, producing),
                               lasting("total", 0.0f, consuming)};
    lane lanes[] = {lane(module.kernel(), lasts), lane(module.kernel(), lasts)};

    std::uint64_t first_used = 0;
    for (std::size_t r = 0; r < rounds; ++r) {
        lanes[r % 2].launch(producing, consuming);
        if (r <= 1) {  // the first of each lane
            consuming.synchronize();
            first_used = memory.used();
        }
    }
    std::vector<float> total(elements);
    lasts.total.copy_to(total);
    consuming.synchronize();
    const std::uint64_t last_used = memory.used();

    float expected = 0.0f;
    for (std::size_t r = 0; r < rounds; ++r) {
        expected += 2.0f * static_cast<float>(r) + 1.0f;
    }
    for (const float each : total) {
        if (each != expected) {
            throw std::runtime_error("a total of " + std::to_string(each) + ", not " + std::to_string(expected));
        }
    }
    std::printf("producer_consumer: %zu frames handed over, %d totals of %.0f, on %s\n", rounds, elements,
                static_cast<double>(expected), allograph_reference_active() ? "the reference driver" : "a GPU");
    std::printf("graph memory in use: %llu bytes after the first round, %llu after the last\n",
                static_cast<unsigned long long>(first_used), static_cast<unsigned long long>(last_used));
    if (first_used != last_used) {
        throw std::runtime_error("the graph memory in use changed");
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return example::run("producer_consumer", argc, argv, producer_consumer); }
