#pragma once

#include <initializer_list>
#include <stdexcept>
#include <utility>

#include <allograph/model/memory_plan.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// "1.047"
inline std::string thousandths_text(double value) {
    const auto all = static_cast<std::uint64_t>(value * 1000 + 0.5);
    std::string rest = std::to_string(all % 1000);
    rest.insert(0, 3 - rest.size(), '0');
    return std::to_string(all / 1000) + "." + rest;
}

inline void pad_to(std::string& line, std::size_t width) { line.append(line.size() < width ? width - line.size() : 1, ' '); }

/// The lines of a saved plan, read one word after the other.
class plan_reader {
public:
    explicit plan_reader(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool next_line() {
        if (rest_.empty()) {
            return false;
        }
        const std::size_t end = rest_.find('\n');
        line_ = rest_.substr(0, end);
        rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
        if (!line_.empty() && line_.back() == '\r') {
            line_.remove_suffix(1);
        }
        ++number_;
        return true;
    }
    [[nodiscard]] std::string_view word() {
        const std::size_t end = line_.find(' ');
        const std::string_view found = line_.substr(0, end);
        line_ = end == std::string_view::npos ? std::string_view() : line_.substr(end + 1);
        return found;
    }
    template <class N>
    void read(N& number, const char* what) {
        const std::string_view text = word();
        std::uint64_t value = 0;
        bool good = !text.empty() && text.size() <= 19;
        for (const char c : text) {
            good = good && c >= '0' && c <= '9';
            value = value * 10 + static_cast<std::uint64_t>(c - '0');
        }
        number = static_cast<N>(value);
        if (!good || !std::in_range<N>(value)) {
            fail(std::string(what) + " is no whole number that fits, but '" + std::string(text) + "'");
        }
    }
    /// What is left of the line, with \\ and \n as they were.
    [[nodiscard]] std::string rest_of_line() {
        std::string text;
        for (std::size_t i = 0; i < line_.size(); ++i) {
            if (line_[i] != '\\') {
                text += line_[i];
            } else if (++i == line_.size() || (line_[i] != '\\' && line_[i] != 'n' && line_[i] != 'r')) {
                fail("a backslash stands before neither \\, n nor r");
            } else {
                text += line_[i] == 'n' ? '\n' : line_[i] == 'r' ? '\r' : '\\';
            }
        }
        line_ = {};
        return text;
    }
    void end_of_line() const {
        if (!line_.empty()) {
            fail("more on the line than is expected: '" + std::string(line_) + "'");
        }
    }
    void expect(bool good, const char* trouble) const {
        if (!good) {
            fail(trouble);
        }
    }
    [[noreturn]] void fail(const std::string& trouble) const {
        throw std::runtime_error("allograph: a saved plan, line " + std::to_string(number_) + ": " + trouble);
    }

private:
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
};

inline std::string escaped_line(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || c == '\n' || c == '\r') {
            out += '\\';
        }
        out += c == '\n' ? 'n' : c == '\r' ? 'r' : c;
    }
    return out;
}

}  // namespace detail

inline std::string memory_plan::text() const {
    const auto bytes = [](std::uint64_t n) {
        return detail::bytes_text(n) + (n < 1024 ? "" : " (" + std::to_string(n) + " bytes)");
    };
    const auto summary = [&](const arena& a) {
        return bytes(a.bytes) + ", " +
               detail::thousandths_text(a.lower_bound == 0 ? 1.0
                                                           : static_cast<double>(a.bytes) / static_cast<double>(a.lower_bound)) +
               " of the lower bound of " + bytes(a.lower_bound) + (a.optimal ? ", the best there is" : "") + "; unplanned " +
               bytes(a.sum);
    };
    const std::size_t count = parts_.allocations.size();
    std::string all = "allograph: " + std::to_string(count) + (count == 1 ? " allocation" : " allocations") + " planned";
    if (count != 0) {
        all += " in " + summary({0, arena_bytes(), lower_bound(), sum(), optimal()});
    }
    if (parts_.arenas.size() > 1) {
        for (const arena& each : parts_.arenas) {
            all += "\n  on device " + std::to_string(each.device) + ": " + summary(each);
        }
    }
    if (!fits()) {
        all += "\n  does not fit: " + bytes(short_by()) + " too much, whatever order was tried";
    }
    for (const added_edge& e : parts_.edges) {
        all += "\n  order added: the free of " + describe(e.freed) + " (" + detail::line_text(allocated_at(e.freed)) +
               ") before the allocation of " + describe(e.allocated) + " (" + detail::line_text(allocated_at(e.allocated)) + ")";
    }
    for (std::size_t i = 0; i < count; ++i) {
        const allocation& a = parts_.allocations[i];
        std::string line = "  at " + std::to_string(a.offset);
        detail::pad_to(line, 18);
        line += describe(i);
        detail::pad_to(line, 56);
        all += "\n" + line + "allocated " + detail::line_text(allocated_at(i)) + ", freed " + detail::line_text(freed_at(i));
    }
    return all;
}

inline std::string memory_plan::save() const {
    std::string all = "allograph plan 1\n";
    const auto number = [&](std::uint64_t n) { all += ' ' + std::to_string(n); };
    const auto line = [&](const char* word, std::initializer_list<std::uint64_t> numbers) {
        all += word;
        for (const std::uint64_t n : numbers) {
            number(n);
        }
    };
    line("program", {parts_.program_nodes, parts_.program_allocations, parts_.alignment, parts_.short_by});
    all += '\n';
    for (const arena& a : parts_.arenas) {
        line("arena", {static_cast<std::uint64_t>(a.device), a.bytes, a.lower_bound, a.sum,
                       a.optimal ? std::uint64_t{1} : std::uint64_t{0}});
        all += '\n';
    }
    for (const std::string& t : parts_.texts) {
        all += "text " + detail::escaped_line(t) + '\n';
    }
    for (const allocation& a : parts_.allocations) {
        line("allocation", {a.number, a.arena, a.offset, a.bytes, a.count, a.from, a.to, a.type, a.allocated_file,
                            a.allocated_line, a.freed_file, a.freed_line});
        all += ' ' + detail::escaped_line(a.label) + '\n';
    }
    for (const added_edge& e : parts_.edges) {
        line("edge", {e.freed, e.allocated});
        all += '\n';
    }
    return all + "end\n";
}

inline memory_plan memory_plan::load(std::string_view text) {
    detail::plan_reader in(text);
    if (!in.next_line() || in.rest_of_line() != "allograph plan 1") {
        in.fail("a plan of this version starts with the line 'allograph plan 1'");
    }
    parts p;
    bool ended = false;
    for (bool first = true; in.next_line(); first = false) {
        const std::string_view word = in.word();
        in.expect(!ended, "something follows the end");
        in.expect(first == (word == "program"), "the line 'program' comes second, and once");
        if (word == "program") {
            in.read(p.program_nodes, "the number of nodes");
            in.read(p.program_allocations, "the number of allocations");
            in.read(p.alignment, "the alignment");
            in.read(p.short_by, "the excess");
            in.expect(p.alignment != 0 && (p.alignment & (p.alignment - 1)) == 0, "the alignment is no power of two");
        } else if (word == "arena") {
            arena a;
            unsigned optimal = 0;
            in.read(a.device, "the device");
            in.read(a.bytes, "the bytes");
            in.read(a.lower_bound, "the lower bound");
            in.read(a.sum, "the sum");
            in.read(optimal, "whether it is optimal");
            in.expect(optimal <= 1, "whether it is optimal is 0 or 1");
            in.expect(a.lower_bound <= a.bytes && a.bytes <= a.sum,
                      "an arena takes at least its lower bound and at most the sum");
            in.expect(p.arenas.size() < 64, "there are more than 64 arenas");
            a.optimal = optimal == 1;
            p.arenas.push_back(a);
        } else if (word == "text") {
            p.texts.push_back(in.rest_of_line());
        } else if (word == "allocation") {
            allocation a;
            in.read(a.number, "the number");
            in.read(a.arena, "the arena");
            in.read(a.offset, "the offset");
            in.read(a.bytes, "the bytes");
            in.read(a.count, "the count");
            in.read(a.from, "the place of the allocation");
            in.read(a.to, "the place of the free");
            in.read(a.type, "the type");
            in.read(a.allocated_file, "the file of the allocation");
            in.read(a.allocated_line, "the line of the allocation");
            in.read(a.freed_file, "the file of the free");
            in.read(a.freed_line, "the line of the free");
            a.label = in.rest_of_line();
            in.expect(a.arena < p.arenas.size(), "there is no such arena");
            in.expect(a.type < p.texts.size() && a.allocated_file < p.texts.size() && a.freed_file < p.texts.size(),
                      "there is no such text");
            in.expect(a.number < p.program_allocations && (p.allocations.empty() || p.allocations.back().number < a.number),
                      "the numbers do not ascend to those of the program");
            in.expect(a.bytes <= p.arenas[a.arena].bytes && a.offset <= p.arenas[a.arena].bytes - a.bytes,
                      "the allocation passes the end of its arena");
            in.expect(a.bytes != 0 && a.offset % p.alignment == 0, "the allocation is empty, or not aligned");
            in.expect(a.from <= a.to && a.to < p.program_nodes, "the allocation is freed before it is made, or by no node");
            p.allocations.push_back(static_cast<allocation&&>(a));
        } else if (word == "edge") {
            added_edge e{};
            in.read(e.freed, "the freed allocation");
            in.read(e.allocated, "the allocation");
            in.expect(e.freed < p.allocations.size() && e.allocated < p.allocations.size() && e.freed != e.allocated,
                      "there is no such pair of allocations");
            p.edges.push_back(e);
        } else if (word == "end") {
            ended = true;
        } else {
            in.fail("an unknown word: '" + std::string(word) + "'");
        }
        in.end_of_line();
    }
    in.expect(ended, "the text stops before its end");
    return memory_plan(static_cast<parts&&>(p));
}

}  // namespace v0
}  // namespace allograph
