// A transformer layer as one program: its matrix products are cuBLAS calls, captured into the graph; its activations and the
// workspace of cuBLAS are allocations, planned into one arena. Built planned and unplanned, and compared with the host.
//
//     inference [--tokens 256] [--width 512] [--heads 8] [--relaunch N]
//
// On the reference driver, where no cuBLAS runs, a plain kernel takes its place, captured in the same way.

#include "inference_products.hpp"

#include <allograph/capture.hpp>
#include <allograph/plan.hpp>

#include "inference_host.hpp"
#include "inference_kernels.image.h"
#include "support.hpp"

namespace ag = allograph;

namespace {

struct layer_kernels {
    explicit layer_kernels(const example::kernel_module& m)
        : layer_norm(m.get<::layer_norm>("layer_norm")), softmax(m.get<::softmax>("softmax")), gelu(m.get<::gelu>("gelu")),
          add(m.get<::add>("add")) {}
    ag::kernel<void(int, int, const float*, const float*, const float*, float*)> layer_norm;
    ag::kernel<void(int, int, float*)> softmax;
    ag::kernel<void(int, int, const float*, float*)> gelu;
    ag::kernel<void(int, int, const float*, const float*, const float*, float*)> add;
};

/// The layer: attention and feed-forward, each behind a norm and beside a path around it. One step comes after the other, so what
/// a step frees the next one may have.
/// @param w      all weights, in device memory
/// @param input  tokens times width, copied at each launch
constexpr auto layer = [](auto& g, const example::layer_shape& s, const layer_kernels& kernels,
                          const example::matrix_products& products, ag::device_span<const float> w,
                          const std::vector<float>& input) {
    const example::layer_places at(s);
    const auto t = static_cast<int>(s.tokens), d = static_cast<int>(s.width), heads = static_cast<int>(s.heads),
               hidden = static_cast<int>(s.hidden()), head = static_cast<int>(s.head_width());
    const auto weight = [&](const example::weight_place& place) { return w.subspan(place.begin, place.count).data(); };
    const auto rows = [](std::size_t count) { return ag::grid_for(32 * count); };
    auto workspace = g.template add_alloc<std::byte>(example::matrix_products::workspace_bytes, ag::named("workspace"));
    ag::node last = workspace;
    const auto activation = [&](std::size_t width, const char* name) {
        auto made = g.template add_alloc<float>(ag::after(last), s.tokens * width, ag::named(name));
        last = made;
        return made;
    };
    const auto multiply = [&](const product_shape& shape, ag::device_ptr<const float> a, ag::device_ptr<const float> b,
                              ag::device_ptr<float> c) {
        last = g.add_captured(
            ag::after(last),
            [&products, shape, a, b, c, scratch = workspace.data()](CUstream stream) {
                products(stream, shape, a.get(), b.get(), c.get(), scratch.get());
            },
            ag::uses(ag::reads(a), ag::reads(b), ag::writes(c), ag::writes(workspace)));
    };
    const auto linear = [&](int in, int out, ag::device_ptr<const float> x, const example::weight_place& by,
                            ag::device_ptr<float> y) {
        multiply({t, out, in, 1, in, out, out, 0, 0, 0, 1.0f, false}, x, weight(by), y);
    };

    auto x = activation(s.width, "input");
    last = g.add_memcpy(ag::after(last), x.span(), input);
    auto normed = activation(s.width, "normed");
    last = g.add_kernel(ag::after(last), kernels.layer_norm, rows(s.tokens), t, d, x.data(), weight(at.scale1), weight(at.shift1),
                        normed.data());
    auto qkv = activation(3 * s.width, "queries, keys, values");
    linear(d, 3 * d, normed.data(), at.qkv, qkv.data());
    last = g.add_free(ag::after(last), std::move(normed));

    auto scores = activation(s.heads * s.tokens, "scores");
    const auto square = static_cast<long long>(t) * t;
    const float scale = 1.0f / std::sqrt(static_cast<float>(head));
    multiply({t, t, head, heads, 3 * d, 3 * d, t, head, head, square, scale, true}, qkv.data(), qkv.data() + d, scores.data());
    last = g.add_kernel(ag::after(last), kernels.softmax, rows(s.heads * s.tokens), heads * t, t, scores.data());
    auto mixed = activation(s.width, "mixed");
    multiply({t, head, t, heads, t, 3 * d, d, square, head, head, 1.0f, false}, scores.data(), qkv.data() + 2 * d, mixed.data());
    last = g.add_free(ag::after(last), std::move(scores));
    last = g.add_free(ag::after(last), std::move(qkv));

    auto attention = activation(s.width, "attention");
    linear(d, d, mixed.data(), at.out, attention.data());
    last = g.add_free(ag::after(last), std::move(mixed));
    auto middle = activation(s.width, "middle");
    last = g.add_kernel(ag::after(last), kernels.add, ag::grid_for(middle.size()), t * d, d, x.data(), attention.data(),
                        weight(at.out_bias), middle.data());
    last = g.add_free(ag::after(last), std::move(x));
    last = g.add_free(ag::after(last), std::move(attention));

    auto normed2 = activation(s.width, "normed again");
    last = g.add_kernel(ag::after(last), kernels.layer_norm, rows(s.tokens), t, d, middle.data(), weight(at.scale2),
                        weight(at.shift2), normed2.data());
    auto up = activation(s.hidden(), "hidden");
    linear(d, hidden, normed2.data(), at.up, up.data());
    last = g.add_free(ag::after(last), std::move(normed2));
    last =
        g.add_kernel(ag::after(last), kernels.gelu, ag::grid_for(up.size()), t * hidden, hidden, weight(at.up_bias), up.data());
    auto down = activation(s.width, "down");
    linear(hidden, d, up.data(), at.down, down.data());
    last = g.add_free(ag::after(last), std::move(up));
    auto output = activation(s.width, "output");
    last = g.add_kernel(ag::after(last), kernels.add, ag::grid_for(output.size()), t * d, d, middle.data(), down.data(),
                        weight(at.down_bias), output.data());
    last = g.add_free(ag::after(last), std::move(middle));
    last = g.add_free(ag::after(last), std::move(down));
    g.add_free(ag::after(last), std::move(workspace));
    return ag::outputs(std::move(output));
};

/// The weights, on the device for as long as the buffer lives.
ag::stream_buffer<float> upload(const std::vector<float>& weights, const ag::stream& stream) {
    ag::memory_graph g{ag::device{0}};
    auto all = g.add_alloc<float>(weights.size(), ag::named("weights"));
    g.add_memcpy(ag::after(all), all.span(), weights);
    auto exec = std::move(g).instantiate(ag::outputs(std::move(all)));
    auto [buffer] = exec.launch(stream);
    stream.synchronize();
    return std::move(buffer);
}

/// Launches, and says whether the result is the host's.
template <class Exec>
bool check(const char* what, Exec&& exec, std::size_t launches, const ag::stream& stream, const std::vector<double>& expected,
           std::vector<float>& result) {
    const bool flat = example::relaunch(launches, stream, [&] {
        const auto [output] = exec.launch(stream);
        output.copy_to(result);
        stream.synchronize();
    });
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        worst = std::max(worst, std::abs(static_cast<double>(result[i]) - expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
    }
    const bool good = worst <= 2e-5 * largest;
    std::printf("%s: %s, largest difference to the host %.2e of the largest value\n", good ? "  good" : "FAILED", what,
                worst / largest);
    return good && flat;
}

int infer(example::arguments& given) {
    const example::layer_shape shape{given.take_count("--tokens", 256, 8192), given.take_count("--width", 512, 8192),
                                     given.take_count("--heads", 8, 1024)};
    const std::size_t launches = given.take_count("--relaunch", 1, 100000000);
    if (!given.rest().empty() || shape.width % shape.heads != 0 || shape.heads * shape.tokens * shape.tokens > 0x7FFFFFFF) {
        throw example::bad_input("the heads divide the width, and heads x tokens x tokens is below 2^31");
    }
    const ag::stream stream;
    const example::kernel_module module(inference_kernels);
    const layer_kernels kernels(module);
    const example::matrix_products products(module);
    const std::vector<float> input = example::noise(shape.tokens * shape.width, 1.0, 1);
    const std::vector<float> weights =
        example::noise(example::layer_places(shape).total, 1.0 / std::sqrt(static_cast<double>(shape.width)), 2);
    const ag::stream_buffer<float> on_device = upload(weights, stream);
    const ag::device_span<const float> w = on_device.span();
    std::printf("inference: %zu tokens, width %zu, %zu heads, on %s\n", shape.tokens, shape.width, shape.heads,
                allograph_reference_active() ? "the reference driver, without cuBLAS" : "a GPU");

    const ag::memory_plan plan = ag::plan(layer, shape, kernels, products, w, input);
    const auto& arena = plan.arenas()[0];
    std::printf("activations and workspace: planned %llu bytes, %llu if none shared, no plan takes fewer than %llu\n",
                static_cast<unsigned long long>(arena.bytes), static_cast<unsigned long long>(arena.sum),
                static_cast<unsigned long long>(arena.lower_bound));
    const std::vector<double> expected = example::layer_on_host(shape, weights)(input);
    std::vector<float> planned(input.size()), unplanned(input.size());
    bool good = check("planned", ag::build(ag::device{0}, plan, layer, shape, kernels, products, w, input), launches, stream,
                      expected, planned);
    good = check("unplanned", ag::build(ag::device{0}, ag::unplanned, layer, shape, kernels, products, w, input), launches,
                 stream, expected, unplanned) &&
           good;
    const bool same = planned == unplanned;
    std::printf("%s: planned and unplanned, bit for bit\n", same ? "  good" : "FAILED");
    return good && same && arena.bytes < arena.sum ? 0 : 1;
}

}  // namespace

int main(int count, char** words) { return example::run("inference", count, words, infer); }
