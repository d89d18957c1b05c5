#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// One buffer of a trace: alive from `lower` to before `upper`, in units of time; its size in bytes.
struct trace_buffer {
    std::int64_t lower = 0;
    std::int64_t upper = 0;
    std::uint64_t bytes = 0;
};

/// Reads a buffer-lifetime trace: a header line, then `id,lower,upper,size` a line.
/// @param unit  bytes that a size of 1 stands for
/// @throws std::runtime_error with the file, the line and what is wrong there
inline std::vector<trace_buffer> read_trace(const std::string& path, std::uint64_t unit) {
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error(path + ": cannot be read");
    }
    std::string line;
    std::size_t number = 0;
    const auto complain = [&](const std::string& what) -> std::runtime_error {
        return std::runtime_error(path + ":" + std::to_string(number) + ": " + what);
    };
    std::vector<trace_buffer> buffers;
    while (std::getline(file, line)) {
        ++number;
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) {
            line.pop_back();
        }
        if (number == 1) {
            if (line != "id,lower,upper,size") {
                throw complain("a trace starts with the line id,lower,upper,size");
            }
            continue;
        }
        if (line.empty()) {
            continue;
        }
        std::int64_t fields[3] = {};
        const char* at = line.data() + std::min(line.find(','), line.size());  // the id may be any text
        const char* const end = line.data() + line.size();
        for (std::int64_t& field : fields) {
            if (at == end || *at != ',') {
                throw complain("four fields are expected: id,lower,upper,size");
            }
            const auto [rest, error] = std::from_chars(at + 1, end, field);
            if (error != std::errc{}) {
                throw complain("lower, upper and size are whole numbers that fit 64 bits");
            }
            at = rest;
        }
        if (at != end) {
            throw complain("more than four fields, or no whole number");
        }
        if (fields[0] >= fields[1]) {
            throw complain("a buffer must end after it begins");
        }
        if (fields[2] <= 0) {
            throw complain("a buffer needs a size of at least 1");
        }
        if (static_cast<std::uint64_t>(fields[2]) > (std::uint64_t{1} << 62) / unit) {
            throw complain("this size, in bytes, is beyond any device");
        }
        buffers.push_back({fields[0], fields[1], static_cast<std::uint64_t>(fields[2]) * unit});
    }
    if (buffers.empty()) {
        throw std::runtime_error(path + ": holds no buffer");
    }
    return buffers;
}
