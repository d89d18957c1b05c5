#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <allograph/model/memory_plan.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// Text inside an XML element: what XML 1.0 cannot hold becomes a question mark.
inline std::string xml_text(const std::string& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const std::size_t more = c < 0x80                ? 0
                                 : c >= 0xC2 && c < 0xE0 ? 1
                                 : c >= 0xE1 && c < 0xED ? 2
                                 : c >= 0xF1 && c < 0xF4 ? 3
                                                         : text.size();
        bool whole = i + more < text.size();
        for (std::size_t k = 1; whole && k <= more; ++k) {
            whole = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
        }
        if (!whole || (c < 0x20 && c != '\t')) {
            out += '?';
        } else if (c == '<') {
            out += "&lt;";
        } else if (c == '>') {
            out += "&gt;";
        } else if (c == '&') {
            out += "&amp;";
        } else {
            out.append(text, i, more + 1);
            i += more;
        }
    }
    return out;
}

/// A part of `whole` as so many hundredths of `length`.
inline std::string svg_length(std::uint64_t part, std::uint64_t whole, double length) {
    const auto hundredths =
        static_cast<std::uint64_t>(whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole) * length * 100 + 0.5);
    std::string cents = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + (cents.size() == 1 ? ".0" : ".") + cents;
}

/// One arena of the picture.
class arena_picture {
public:
    arena_picture(const memory_plan& plan, std::uint32_t arena)
        : plan_(&plan), arena_(arena), bytes_(plan.arenas()[arena].bytes) {
        for (std::uint32_t i = 0; i < plan.allocations().size(); ++i) {
            if (plan.allocations()[i].arena == arena) {
                shown_.push_back(i);
                places_.push_back(plan.allocations()[i].from);
                places_.push_back(plan.allocations()[i].to);
            }
        }
        std::sort(places_.begin(), places_.end());
        places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
        find_peak();
    }

    static constexpr double width = 960;
    static constexpr double height = 420;

    /// At the top of its own coordinates.
    [[nodiscard]] std::string text() const {
        const memory_plan::arena& a = plan_->arenas()[arena_];
        std::string out = "<text class=\"h\" y=\"-10\">device " + std::to_string(a.device) + ": " +
                          std::to_string(shown_.size()) + " allocations in " + bytes_text(a.bytes) + ", lower bound " +
                          bytes_text(a.lower_bound) + ", unplanned " + bytes_text(a.sum) + "</text>\n";
        for (const std::uint32_t i : shown_) {
            out += bar(i);
        }
        const std::string x = along(peak_at_);
        out += "<g class=\"p\"><title>the peak: " + bytes_text(peak_) + " alive</title><path d=\"M" + x + " 0V420\"/></g>\n";
        out += "<path class=\"a\" d=\"M0 0V420H960\"/>\n<text class=\"s\" x=\"-6\" y=\"8\" text-anchor=\"end\">" +
               bytes_text(bytes_) +
               "</text>\n<text class=\"s\" x=\"-6\" y=\"420\" text-anchor=\"end\">0</text>\n<text class=\"s\" x=\"960\" "
               "y=\"450\" text-anchor=\"end\">order of the program</text>\n" +
               "<text class=\"s\" x=\"" + x + "\" y=\"434\" text-anchor=\"middle\">peak " + bytes_text(peak_) + "</text>\n";
        return out;
    }

private:
    [[nodiscard]] std::size_t column(std::uint32_t place) const {
        return static_cast<std::size_t>(std::lower_bound(places_.begin(), places_.end(), place) - places_.begin());
    }
    [[nodiscard]] std::string along(std::uint64_t column) const { return svg_length(column, places_.size(), width); }

    /// The place at which most bytes are alive.
    void find_peak() {
        std::vector<std::uint64_t> born(places_.size() + 1, 0);
        std::vector<std::uint64_t> gone(places_.size() + 1, 0);
        for (const std::uint32_t i : shown_) {
            const memory_plan::allocation& a = plan_->allocations()[i];
            born[column(a.from)] += a.bytes;
            gone[column(a.to) + 1] += a.bytes;
        }
        std::uint64_t alive = 0;
        for (std::size_t c = 0; c < places_.size(); ++c) {
            alive = alive + born[c] - gone[c];
            if (alive > peak_) {
                peak_ = alive;
                peak_at_ = c;
            }
        }
    }

    [[nodiscard]] std::string bar(std::uint32_t i) const {
        const memory_plan::allocation& a = plan_->allocations()[i];
        const std::size_t from = column(a.from);
        const std::size_t to = column(a.to) + 1;
        return "<rect x=\"" + along(from) + "\" y=\"" + svg_length(bytes_ - a.offset - a.bytes, bytes_, height) + "\" width=\"" +
               along(to - from) + "\" height=\"" + svg_length(a.bytes, bytes_, height) + "\" fill=\"hsl(" +
               std::to_string(std::uint64_t{a.number} * 137 % 360) + ",55%,55%)\"><title>" + xml_text(plan_->describe(i)) +
               "\nat " + std::to_string(a.offset) + "\nallocated " + xml_text(line_text(plan_->allocated_at(i))) + ", freed " +
               xml_text(line_text(plan_->freed_at(i))) + "</title></rect>\n";
    }

    const memory_plan* plan_;
    std::uint32_t arena_;
    std::uint64_t bytes_;
    std::vector<std::uint32_t> shown_;
    std::vector<std::uint32_t> places_;  // at which something is allocated or freed
    std::uint64_t peak_ = 0;
    std::uint64_t peak_at_ = 0;
};

}  // namespace detail

inline std::string memory_plan::svg() const {
    constexpr std::size_t each = 500;
    const std::size_t tall = each * (parts_.arenas.empty() ? 1 : parts_.arenas.size());
    std::string out =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1080 " + std::to_string(tall) +
        "\" font-family=\"sans-serif\" role=\"img\">\n<title>memory plan</title>\n"
        "<style>svg{color:#222}.h{font-size:15px;fill:currentColor}.s{font-size:11px;fill:currentColor}.a{fill:none;stroke:"
        "currentColor}"
        ".p{fill:none;stroke:currentColor;stroke-width:2;stroke-dasharray:6 "
        "4}rect{stroke:#000;stroke-opacity:.4;stroke-width:.5}rect:hover{stroke:currentColor;stroke-opacity:1;stroke-width:2}"
        "@media(prefers-color-scheme:dark){svg{color:#ddd}}</style>\n";
    if (parts_.arenas.empty()) {
        out += "<text class=\"h\" x=\"95\" y=\"40\">nothing is planned</text>\n";
    }
    for (std::uint32_t k = 0; k < parts_.arenas.size(); ++k) {
        out += "<g transform=\"translate(95 " + std::to_string(40 + k * each) + ")\">\n" +
               detail::arena_picture(*this, k).text() + "</g>\n";
    }
    return out + "</svg>\n";
}

}  // namespace v0
}  // namespace allograph
