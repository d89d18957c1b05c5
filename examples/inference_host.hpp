#pragma once

// The sizes and weights of the layer, and the layer on the host in double precision.

#include <cmath>
#include <cstdint>
#include <vector>

namespace example {

struct layer_shape {
    std::size_t tokens;
    std::size_t width;
    std::size_t heads;
    [[nodiscard]] std::size_t hidden() const { return 4 * width; }
    [[nodiscard]] std::size_t head_width() const { return width / heads; }
};

/// Where each weight lies among all of them, and how many values it has.
struct weight_place {
    std::size_t begin;
    std::size_t count;
};
struct layer_places {
    weight_place scale1, shift1, qkv, out, out_bias, scale2, shift2, up, up_bias, down, down_bias;
    std::size_t total = 0;

    explicit layer_places(const layer_shape& s) {
        const auto next = [this](std::size_t count) {
            const weight_place place{total, count};
            total += (count + 127) / 128 * 128;  // as libraries like their operands
            return place;
        };
        scale1 = next(s.width), shift1 = next(s.width), qkv = next(3 * s.width * s.width);
        out = next(s.width * s.width), out_bias = next(s.width), scale2 = next(s.width), shift2 = next(s.width);
        up = next(s.width * s.hidden()), up_bias = next(s.hidden()), down = next(s.hidden() * s.width), down_bias = next(s.width);
    }
};

/// Values between -size and size, the same on every machine.
inline std::vector<float> noise(std::size_t count, double size, std::uint64_t seed) {
    std::vector<float> values(count);
    for (float& value : values) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<float>(size * (static_cast<double>(seed >> 40U) / 8388608.0 - 1.0));
    }
    return values;
}

class layer_on_host {
public:
    layer_on_host(const layer_shape& shape, const std::vector<float>& weights) : s_(shape), at_(shape), weights_(&weights) {}

    [[nodiscard]] std::vector<double> operator()(const std::vector<float>& input) const {
        const std::vector<double> x(input.begin(), input.end());
        const std::size_t t = s_.tokens, d = s_.width;
        const std::vector<double> qkv = times(norm(x, at_.scale1, at_.shift1), d, at_.qkv, 3 * d);
        std::vector<double> mixed(t * d, 0.0);
        for (std::size_t head = 0; head < s_.heads; ++head) {
            attend(qkv, head * s_.head_width(), mixed);
        }
        const std::vector<double> h = sum(x, times(mixed, d, at_.out, d), at_.out_bias);
        std::vector<double> f = times(norm(h, at_.scale2, at_.shift2), d, at_.up, s_.hidden());
        for (std::size_t i = 0; i < f.size(); ++i) {
            const double v = f[i] + weight(at_.up_bias, i % s_.hidden());
            f[i] = 0.5 * v * (1.0 + std::erf(v * std::sqrt(0.5)));
        }
        return sum(h, times(f, s_.hidden(), at_.down, d), at_.down_bias);
    }

private:
    [[nodiscard]] double weight(const weight_place& place, std::size_t i) const {
        return static_cast<double>((*weights_)[place.begin + i]);
    }

    [[nodiscard]] std::vector<double> norm(const std::vector<double>& x, const weight_place& scale,
                                           const weight_place& shift) const {
        std::vector<double> y(x.size());
        for (std::size_t row = 0; row < x.size(); row += s_.width) {
            double mean = 0, variance = 0;
            for (std::size_t i = 0; i < s_.width; ++i) {
                mean += x[row + i] / static_cast<double>(s_.width);
            }
            for (std::size_t i = 0; i < s_.width; ++i) {
                variance += (x[row + i] - mean) * (x[row + i] - mean) / static_cast<double>(s_.width);
            }
            for (std::size_t i = 0; i < s_.width; ++i) {
                y[row + i] = (x[row + i] - mean) / std::sqrt(variance + 1e-5) * weight(scale, i) + weight(shift, i);
            }
        }
        return y;
    }
    [[nodiscard]] std::vector<double> times(const std::vector<double>& x, std::size_t inner, const weight_place& w,
                                            std::size_t columns) const {
        std::vector<double> y(s_.tokens * columns, 0.0);
        for (std::size_t row = 0; row < s_.tokens; ++row) {
            for (std::size_t k = 0; k < inner; ++k) {
                const double factor = x[row * inner + k];
                for (std::size_t column = 0; column < columns; ++column) {
                    y[row * columns + column] += factor * weight(w, k * columns + column);
                }
            }
        }
        return y;
    }
    /// One head: `first` is its first column in q, k and v.
    void attend(const std::vector<double>& qkv, std::size_t first, std::vector<double>& mixed) const {
        const std::size_t d = s_.width;
        std::vector<double> share(s_.tokens);
        for (std::size_t row = 0; row < s_.tokens; ++row) {
            double total = 0;
            for (std::size_t other = 0; other < s_.tokens; ++other) {
                double score = 0;
                for (std::size_t i = first; i < first + s_.head_width(); ++i) {
                    score += qkv[row * 3 * d + i] * qkv[other * 3 * d + d + i];
                }
                share[other] = std::exp(score / std::sqrt(static_cast<double>(s_.head_width())));
                total += share[other];
            }
            for (std::size_t other = 0; other < s_.tokens; ++other) {
                for (std::size_t i = first; i < first + s_.head_width(); ++i) {
                    mixed[row * d + i] += share[other] / total * qkv[other * 3 * d + 2 * d + i];
                }
            }
        }
    }
    [[nodiscard]] std::vector<double> sum(const std::vector<double>& x, const std::vector<double>& change,
                                          const weight_place& bias) const {
        std::vector<double> y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            y[i] = x[i] + change[i] + weight(bias, i % s_.width);
        }
        return y;
    }

    layer_shape s_;
    layer_places at_;
    const std::vector<float>* weights_;
};

}  // namespace example
