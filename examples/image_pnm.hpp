#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// A picture of 1 (grey) or 3 (red, green, blue) samples a pixel, row by row from the top, each from 0 to `maxval`.
struct picture {
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t channels = 1;
    unsigned maxval = 255;  // up to 65535
    std::vector<std::uint16_t> samples;
    std::size_t pixels() const { return width * height; }
};

/// Reads binary PGM (P5) and PPM (P6) files, of 8 and 16 bits. Every error names the file and what is wrong with it.
class pnm_reader {
public:
    explicit pnm_reader(const std::string& path) : path_(path), file_(path, std::ios::binary) {}

    picture read() {
        if (!file_) {
            fail("cannot be read");
        }
        char magic[2] = {};
        file_.read(magic, 2);
        if (magic[0] != 'P' || magic[1] < '1' || magic[1] > '7') {
            fail("is no PGM or PPM file");
        }
        if (magic[1] != '5' && magic[1] != '6') {
            fail(std::string("is of format P") + magic[1] + "; binary PGM (P5) and PPM (P6) are read");
        }
        picture made;
        made.channels = magic[1] == '5' ? 1 : 3;
        made.width = number("width", 1, 1 << 20);
        made.height = number("height", 1, 1 << 20);
        if (made.width * made.height > most_pixels) {
            fail("has more than " + std::to_string(most_pixels) + " pixels");
        }
        made.maxval = static_cast<unsigned>(number("maxval", 1, 65535));
        if (!is_space(file_.get())) {  // one, and no comment, before the samples
            fail("has no white space between its header and its samples");
        }
        read_samples(made);
        return made;
    }

private:
    static constexpr std::size_t most_pixels = std::size_t{1} << 28;

    [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(path_ + " " + what); }
    static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    /// The next number of the header, after white space and comments.
    std::size_t number(const char* name, std::size_t least, std::size_t most) {
        int c = file_.get();
        if (!is_space(c) && c != '#') {
            fail(std::string("has no white space before its ") + name);
        }
        while (is_space(c) || c == '#') {
            if (c == '#') {
                while (c != '\n' && c != '\r' && c != std::char_traits<char>::eof()) {
                    c = file_.get();
                }
            } else {
                c = file_.get();
            }
        }
        std::size_t value = 0;
        bool digits = false;
        for (; c >= '0' && c <= '9'; c = file_.get()) {
            value = value * 10 + static_cast<std::size_t>(c - '0');
            digits = true;
            if (value > most) {
                fail(std::string("has a ") + name + " above " + std::to_string(most));
            }
        }
        if (!digits || value < least) {
            fail(std::string("has no ") + name + " of at least " + std::to_string(least));
        }
        file_.clear(file_.rdstate() & ~std::ios::failbit);
        file_.unget();
        return value;
    }

    void read_samples(picture& made) {
        const std::size_t count = made.pixels() * made.channels;
        const std::size_t bytes_each = made.maxval > 255 ? 2 : 1;  // the higher byte first
        std::vector<unsigned char> row(made.width * made.channels * bytes_each);
        while (made.samples.size() < count) {  // a row at a time: a file that lies about its size costs no memory
            file_.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size()));
            if (static_cast<std::size_t>(file_.gcount()) != row.size()) {
                fail("ends in row " + std::to_string(made.samples.size() / (made.width * made.channels) + 1) + " of " +
                     std::to_string(made.height));
            }
            for (std::size_t i = 0; i < row.size(); i += bytes_each) {
                const unsigned value = bytes_each == 2 ? row[i] * 256u + row[i + 1] : row[i];
                if (value > made.maxval) {
                    fail("holds the sample " + std::to_string(value) + ", above its maxval of " + std::to_string(made.maxval));
                }
                made.samples.push_back(static_cast<std::uint16_t>(value));
            }
        }
    }

    std::string path_;
    std::ifstream file_;
};

inline void write_pnm(const std::string& path, const picture& from) {
    std::ofstream file(path, std::ios::binary);
    file << (from.channels == 1 ? "P5\n" : "P6\n") << from.width << ' ' << from.height << '\n' << from.maxval << '\n';
    std::string bytes;
    for (const std::uint16_t sample : from.samples) {
        if (from.maxval > 255) {
            bytes += static_cast<char>(sample >> 8);
        }
        bytes += static_cast<char>(sample & 255);
    }
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file.flush()) {
        throw std::runtime_error(path + " cannot be written");
    }
}

/// Rings, a slope and a bright square, in three colours.
inline picture drawn_picture(std::size_t width, std::size_t height) {
    picture made{width, height, 3, 255, {}};
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            const std::size_t ring = (x * x + y * y) / 512 % 2;
            const bool square = x > width / 2 && x < width * 3 / 4 && y > height / 4 && y < height / 2;
            made.samples.push_back(static_cast<std::uint16_t>(square ? 250 : ring * 120 + 20));
            made.samples.push_back(static_cast<std::uint16_t>(square ? 240 : x * 255 / width));
            made.samples.push_back(static_cast<std::uint16_t>(y * 255 / height));
        }
    }
    return made;
}
