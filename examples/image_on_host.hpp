#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "image_pnm.hpp"

/// What the pipeline finds in a picture.
struct found {
    std::vector<std::uint16_t> edges;
    std::array<unsigned, 256> histogram{};
    friend bool operator==(const found&, const found&) = default;
};

/// The same as the pipeline, in another way: the blur as one square of weights.
inline found on_host(const picture& in) {
    const int width = static_cast<int>(in.width), height = static_cast<int>(in.height), maxval = static_cast<int>(in.maxval);
    const auto image = [&](auto&& pixel) {
        std::vector<int> made;
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                made.push_back(pixel(x, y));
            }
        }
        return made;
    };
    const auto at = [&](const std::vector<int>& from, int x, int y) {
        return from[static_cast<std::size_t>(std::clamp(y, 0, height - 1) * width + std::clamp(x, 0, width - 1))];
    };
    const std::vector<int> grey = image([&](int x, int y) {
        const auto* const p = &in.samples[static_cast<std::size_t>(y * width + x) * in.channels];
        return in.channels == 1 ? p[0] : (77 * p[0] + 150 * p[1] + 29 * p[2] + 128) / 256;
    });
    const std::vector<int> blurred = image([&](int x, int y) {
        constexpr int weight[] = {1, 4, 6, 4, 1};
        int sum = 128;
        for (int dy = -2; dy <= 2; ++dy) {
            for (int dx = -2; dx <= 2; ++dx) {
                sum += weight[dy + 2] * weight[dx + 2] * at(grey, x + dx, y + dy);
            }
        }
        return sum / 256;
    });
    found made;
    for (const int strength : image([&](int x, int y) {
             if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
                 return 0;
             }
             int across = 0, down = 0;
             for (int i = -1; i <= 1; ++i) {
                 across += (2 - std::abs(i)) * (at(blurred, x + 1, y + i) - at(blurred, x - 1, y + i));
                 down += (2 - std::abs(i)) * (at(blurred, x + i, y + 1) - at(blurred, x + i, y - 1));
             }
             return std::min(maxval, std::max(std::abs(across), std::abs(down)) / 4);
         })) {
        made.edges.push_back(static_cast<std::uint16_t>(strength));
        ++made.histogram[static_cast<std::size_t>(strength * 256 / (maxval + 1))];
    }
    return made;
}
