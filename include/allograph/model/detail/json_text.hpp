#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace allograph {
inline namespace v0 {
namespace detail {

inline std::string hex_text(std::uint64_t value) {
    std::string digits;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
        value >>= 4;
    } while (value != 0);
    return "0x" + digits;
}

/// A JSON string in ASCII, with nothing that could end an HTML element around it. Kernel names may hold any bytes: what
/// is no UTF-8 becomes U+FFFD.
inline std::string json_string(const std::string& text) {
    const auto unit = [](std::uint32_t u) {
        std::string escape = "\\u0000";
        for (std::size_t i = 5; u != 0; --i, u >>= 4) {
            escape[i] = "0123456789abcdef"[u & 15];
        }
        return escape;
    };
    std::string out = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t size = lead < 0x80                   ? 1
                                 : lead >= 0xC2 && lead < 0xE0 ? 2
                                 : lead >= 0xE0 && lead < 0xF0 ? 3
                                 : lead >= 0xF0 && lead < 0xF5 ? 4
                                                               : 0;
        std::uint32_t point = size == 1 ? lead : size == 0 ? 0xFFFD : lead & (0x7Fu >> size);
        bool whole = size != 0 && i + size <= text.size();
        for (std::size_t k = 1; whole && k < size; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            whole = (next & 0xC0) == 0x80;
            point = point << 6 | (next & 0x3Fu);
        }
        whole = whole && !(size == 3 && (point < 0x800 || (point >= 0xD800 && point < 0xE000))) &&
                !(size == 4 && (point < 0x10000 || point > 0x10FFFF));
        i += whole ? size : 1;
        point = whole ? point : 0xFFFD;
        if (point == '"' || point == '\\') {
            out += '\\';
            out += static_cast<char>(point);
        } else if (point >= 0x20 && point < 0x7F && point != '<' && point != '>' && point != '&') {
            out += static_cast<char>(point);
        } else if (point < 0x10000) {
            out += unit(point);
        } else {
            out += unit(0xD800 + ((point - 0x10000) >> 10)) + unit(0xDC00 + ((point - 0x10000) & 0x3FF));
        }
    }
    return out + '"';
}

/// Writes JSON, a member or element after the other.
class json_writer {
public:
    json_writer& open(char bracket) { return separate().put(bracket).fresh(); }
    json_writer& close(char bracket) {
        fresh_ = false;
        return put(bracket);
    }
    json_writer& key(const char* name) {
        separate();
        out_ += json_string(name) + ":";
        return fresh();
    }
    json_writer& value(const std::string& text) { return literal(json_string(text)); }
    json_writer& value(const char* text) { return literal(json_string(text)); }
    json_writer& value(std::uint64_t number) { return literal(std::to_string(number)); }
    json_writer& literal(const std::string& text) {
        separate();
        out_ += text;
        return *this;
    }
    /// A place in a vector, or null for the highest number.
    json_writer& place(std::uint32_t index) { return literal(index == 0xFFFFFFFFu ? "null" : std::to_string(index)); }
    json_writer& places(const std::vector<std::uint32_t>& all) {
        open('[');
        for (const std::uint32_t each : all) {
            value(std::uint64_t{each});
        }
        return close(']');
    }
    /// Elements go on lines of their own where they are many.
    json_writer& line() {
        if (!fresh_) {
            out_ += ',';
            fresh_ = true;
        }
        out_ += '\n';
        return *this;
    }
    [[nodiscard]] std::string take() { return static_cast<std::string&&>(out_); }

private:
    json_writer& separate() {
        if (!fresh_) {
            out_ += ',';
        }
        fresh_ = false;
        return *this;
    }
    json_writer& put(char c) {
        out_ += c;
        return *this;
    }
    json_writer& fresh() {
        fresh_ = true;
        return *this;
    }

    std::string out_;
    bool fresh_ = true;
};

}  // namespace detail
}  // namespace v0
}  // namespace allograph
