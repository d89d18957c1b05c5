// Finds the edges of a picture, in one graph: grey, blur by rows and columns, gradient by Sobel, histogram. The pipeline is a
// program whose dependencies are nowhere spelled: the uses of memory decide them, and the plan fits it into the memory that two
// stages need.
//
//     image_pipeline [IN.ppm] [--out EDGES.pgm] [--size WIDTHxHEIGHT] [--relaunch TIMES]
//
// Reads binary PGM and PPM, of 8 and 16 bits; without a file it draws a picture. The result is compared with the host's, bit
// for bit.

#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <allograph/allograph.hpp>
#include <allograph/plan.hpp>

#include "image_on_host.hpp"
#include "image_pnm.hpp"
#include "kernels.hpp"
#include "support.hpp"

#include "image_kernels.cu"
#include "image_kernels.image.h"

namespace ag = allograph;

namespace {

using sample = unsigned short;

struct stages {
    ag::kernel<void(int, int, const sample*, sample*)> to_grey;
    ag::kernel<void(int, int, const sample*, unsigned*)> blur_rows;
    ag::kernel<void(int, int, const unsigned*, sample*)> blur_columns;
    ag::kernel<void(int, int, int, const sample*, sample*)> sobel;
    ag::kernel<void(int, int, const sample*, unsigned*)> count_samples;
};

/// Where the results go on the host.
struct results {
    std::span<sample> edges;
    std::span<unsigned> histogram;
};

/// Every stage makes its memory, uses it and frees what it was the last to need. No stage says what it waits for.
constexpr auto pipeline = [](auto& g, const stages& k, const picture& in, const results& out) {
    const std::size_t n = in.pixels();
    const ag::launch_config grid = ag::grid_for(n);
    const auto alloc = [&]<class T>(const char* name, std::size_t count, T) {
        return g.template add_alloc<T>(ag::inferred, count, ag::named(name));
    };

    auto colours = alloc("colours", n * in.channels, sample{});
    g.add_memcpy(ag::inferred, colours.span(), in.samples);
    auto grey = alloc("grey", n, sample{});
    g.add_kernel(ag::inferred, k.to_grey, grid, n, in.channels, colours.data(), grey.data());
    g.add_free(ag::inferred, std::move(colours));

    auto rows = alloc("rows", n, unsigned{});
    g.add_kernel(ag::inferred, k.blur_rows, grid, in.width, in.height, grey.data(), rows.data());
    g.add_free(ag::inferred, std::move(grey));
    auto blurred = alloc("blurred", n, sample{});
    g.add_kernel(ag::inferred, k.blur_columns, grid, in.width, in.height, rows.data(), blurred.data());
    g.add_free(ag::inferred, std::move(rows));

    auto edges = alloc("edges", n, sample{});
    g.add_kernel(ag::inferred, k.sobel, grid, in.width, in.height, in.maxval, blurred.data(), edges.data());
    g.add_free(ag::inferred, std::move(blurred));
    g.add_memcpy(ag::inferred, out.edges, edges.span());

    auto bins = alloc("bins", out.histogram.size(), unsigned{});
    g.add_memset(ag::inferred, bins.span(), 0);
    g.add_kernel(ag::inferred, k.count_samples, grid, n, in.maxval, edges.data(), bins.data());
    g.add_free(ag::inferred, std::move(edges));
    g.add_memcpy(ag::inferred, out.histogram, bins.span());
    g.add_free(ag::inferred, std::move(bins));
};

/// "640x480". @throws example::bad_input
std::pair<std::size_t, std::size_t> read_size(const std::string& text) {
    const std::size_t x = text.find('x');
    if (x == std::string::npos) {
        throw example::bad_input("--size wants WIDTHxHEIGHT, not '" + text + "'");
    }
    return {example::arguments::count_of(std::string_view(text).substr(0, x), "the width", 10'000),
            example::arguments::count_of(std::string_view(text).substr(x + 1), "the height", 10'000)};
}

int image_pipeline(example::arguments& given) {
    const std::size_t relaunches = given.take_count("--relaunch", 1, 1'000'000'000);
    const auto [width, height] = read_size(given.take("--size").value_or("640x480"));
    const std::optional<std::string> edges_path = given.take("--out");
    if (given.rest().size() > 1) {
        throw example::bad_input("one picture at a time");
    }
    const picture in = given.rest().empty() ? drawn_picture(width, height) : pnm_reader(given.rest()[0]).read();

    const ag::device device{0};
    const ag::stream stream{device};
    const example::kernel_module module(image_kernels);
    const stages kernels{module.get<to_grey>("to_grey"), module.get<blur_rows>("blur_rows"),
                         module.get<blur_columns>("blur_columns"), module.get<sobel>("sobel"),
                         module.get<count_samples>("count_samples")};
    found out;
    out.edges.resize(in.pixels());
    const results to{out.edges, out.histogram};
    const std::uint64_t most = in.pixels() * 8 + 4096;  // the colours and the grey picture are alive at once, of three colours
    const ag::memory_plan plan = ag::plan(ag::plan_options{}.fit(most), pipeline, kernels, in, to);
    auto exec = ag::build(device, plan, pipeline, kernels, in, to);
    const bool flat = example::relaunch(relaunches, stream, [&] { exec.launch(stream); });
    if (!flat) {
        throw std::runtime_error("the graph memory in use changed");
    }
    if (out != on_host(in)) {
        throw std::runtime_error("the result differs from the host's");
    }
    const auto edge_pixels = in.pixels() - out.histogram[0];
    std::printf("image_pipeline: %zux%zu, %zu pixels on edges, the same as on the host, on %s\n", in.width, in.height,
                edge_pixels, allograph_reference_active() ? "the reference driver" : "a GPU");
    std::printf("memory: %llu bytes planned, %llu asked for\n", static_cast<unsigned long long>(plan.arena_bytes()),
                static_cast<unsigned long long>(in.pixels() * (in.channels + 3) * sizeof(sample) +
                                                in.pixels() * sizeof(unsigned) + sizeof out.histogram));
    if (edges_path) {
        write_pnm(*edges_path, {in.width, in.height, 1, in.maxval, out.edges});
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return example::run("image_pipeline", argc, argv, image_pipeline); }
