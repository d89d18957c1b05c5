// The kernels of the image pipeline, one thread a pixel. Whole numbers alone: every machine computes the same bits.

/// The luminance of red, green and blue, or the grey sample itself.
extern "C" __global__ void to_grey(int pixels, int channels, const unsigned short* in, unsigned short* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < pixels) {
        const unsigned short* p = in + static_cast<long long>(i) * channels;
        out[i] = channels == 1 ? p[0] : static_cast<unsigned short>((77u * p[0] + 150u * p[1] + 29u * p[2] + 128u) >> 8);
    }
}

/// Weights 1 4 6 4 1 along the row, not divided; the border goes on beyond the edge.
extern "C" __global__ void blur_rows(int width, int height, const unsigned short* in, unsigned* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < width * height) {
        const int x = i % width;
        const unsigned short* row = in + (i - x);
        const int last = width - 1;
        const int a = x < 2 ? 0 : x - 2, b = x < 1 ? 0 : x - 1, d = x + 1 > last ? last : x + 1, e = x + 2 > last ? last : x + 2;
        out[i] = row[a] + 4u * row[b] + 6u * row[x] + 4u * row[d] + row[e];
    }
}

/// The same along the column, then both divided: by 256, rounded.
extern "C" __global__ void blur_columns(int width, int height, const unsigned* in, unsigned short* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < width * height) {
        const int x = i % width, y = i / width;
        const int last = height - 1;
        const int a = y < 2 ? 0 : y - 2, b = y < 1 ? 0 : y - 1, d = y + 1 > last ? last : y + 1, e = y + 2 > last ? last : y + 2;
        const unsigned sum = in[a * width + x] + 4u * in[b * width + x] + 6u * in[i] + 4u * in[d * width + x] + in[e * width + x];
        out[i] = static_cast<unsigned short>((sum + 128u) >> 8);
    }
}

/// The gradient by Sobel: the larger of its two parts, a quarter of it, at most maxval; 0 on the border.
extern "C" __global__ void sobel(int width, int height, int maxval, const unsigned short* in, unsigned short* out) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < width * height) {
        const int x = i % width, y = i / width;
        int strength = 0;
        if (x > 0 && y > 0 && x < width - 1 && y < height - 1) {
            const unsigned short* p = in + i;
            const int across = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[width - 1];
            const int down = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[1 - width];
            const int a = across < 0 ? -across : across, d = down < 0 ? -down : down;
            strength = (a > d ? a : d) / 4;
        }
        out[i] = static_cast<unsigned short>(strength > maxval ? maxval : strength);
    }
}

/// How many samples lie in each of 256 equal parts of 0 to maxval.
extern "C" __global__ void count_samples(int pixels, int maxval, const unsigned short* in, unsigned* bins) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < pixels) {
        atomicAdd(&bins[in[i] * 256u / (static_cast<unsigned>(maxval) + 1u)], 1u);
    }
}
