#pragma once

// Sparse matrices in Matrix Market files.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "solver_matrix.hpp"

namespace example {

/// Reads a Matrix Market file: coordinates, real, integer or pattern, general or symmetric.
class matrix_market_reader {
public:
    /// @param name  of the file, for messages
    matrix_market_reader(std::istream& file, std::string name) : file_(&file), name_(std::move(name)) {}

    /// @throws bad_input with the line and the reason
    [[nodiscard]] sparse_matrix read() {
        read_header();
        if (!next_line()) {
            fail("the file ends before the line of sizes");
        }
        const auto rows = take_whole("the number of rows", 1, most);
        const auto columns = take_whole("the number of columns", 1, most);
        const auto count = take_whole("the number of entries", 0, std::int64_t{1} << 62U);
        end_of_line();
        if (rows != columns) {
            fail("the matrix has " + std::to_string(rows) + " rows and " + std::to_string(columns) +
                 " columns: a solver needs as many");
        }
        if (count < rows) {
            fail("fewer entries than rows: some row has none, so the matrix has no inverse");
        }
        std::vector<matrix_entry> entries;
        for (std::int64_t i = 0; i < count; ++i) {
            if (!next_line()) {
                fail("the file ends after " + std::to_string(i) + " of " + std::to_string(count) + " entries");
            }
            const auto row = static_cast<int>(take_whole("a row", 1, rows) - 1);
            const auto column = static_cast<int>(take_whole("a column", 1, columns) - 1);
            const double value = pattern_ ? 1.0 : take_value();
            end_of_line();
            if (symmetric_ && column > row) {
                fail("an entry above the diagonal: a symmetric file holds those on and below it");
            }
            entries.push_back({row, column, value});
            if (symmetric_ && column != row) {
                entries.push_back({column, row, value});
            }
            if (entries.size() > static_cast<std::size_t>(most)) {
                fail("more than " + std::to_string(most) + " entries");
            }
        }
        if (next_line()) {
            fail("more than the " + std::to_string(count) + " entries that the sizes name");
        }
        return matrix_of(static_cast<int>(rows), entries);
    }

private:
    static constexpr std::int64_t most = 0x7FFFFFFE;

    [[noreturn]] void fail(const std::string& reason) const {
        throw bad_input(name_ + ":" + std::to_string(line_) + ": " + reason);
    }

    void read_header() {
        ++line_;
        if (!std::getline(*file_, text_)) {
            fail("an empty file");
        }
        std::transform(text_.begin(), text_.end(), text_.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        rest_ = text_;
        if (take_word() != "%%matrixmarket" || take_word() != "matrix") {
            fail("a Matrix Market file begins with %%MatrixMarket matrix");
        }
        if (const std::string_view form = take_word(); form != "coordinate") {
            fail("the format is '" + std::string(form) + "', and has to be coordinate");
        }
        const std::string_view field = take_word();
        if (field != "real" && field != "integer" && field != "pattern") {
            fail("the field is '" + std::string(field) + "', and has to be real, integer or pattern");
        }
        pattern_ = field == "pattern";
        const std::string_view symmetry = take_word();
        if (symmetry != "general" && symmetry != "symmetric") {
            fail("the symmetry is '" + std::string(symmetry) + "', and has to be general or symmetric");
        }
        symmetric_ = symmetry == "symmetric";
        end_of_line();
    }

    /// The next line that is no comment and not blank. False at the end of the file, where the last line stays the last.
    bool next_line() {
        while (std::getline(*file_, text_)) {
            ++line_;
            rest_ = text_;
            skip_blanks();
            if (!rest_.empty() && rest_.front() != '%') {
                return true;
            }
        }
        return false;
    }
    void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size())); }
    std::string_view take_word() {
        skip_blanks();
        const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
        rest_.remove_prefix(word.size());
        return word;
    }
    void end_of_line() {
        if (const std::string_view word = take_word(); !word.empty()) {
            fail("'" + std::string(word) + "' is too much on this line");
        }
    }
    std::int64_t take_whole(const char* what, std::int64_t least, std::int64_t greatest) {
        const auto value = take<std::int64_t>(what);
        if (value < least || value > greatest) {
            fail(std::string(what) + " is " + std::to_string(value) + ", outside of " + std::to_string(least) + " to " +
                 std::to_string(greatest));
        }
        return value;
    }
    double take_value() {
        const auto value = take<double>("a value");
        if (!std::isfinite(value)) {
            fail("a value is not finite");
        }
        return value;
    }
    template <class T>
    T take(const char* what) {
        const std::string_view word = take_word();
        const std::string_view digits = word.substr(!word.empty() && word.front() == '+' ? 1 : 0);
        T value{};
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{} || end != digits.data() + digits.size()) {
            fail(word.empty() ? std::string(what) + " is missing"
                              : std::string(what) + " is '" + std::string(word) + "', not a number that fits");
        }
        return value;
    }

    std::istream* file_;
    std::string name_;
    std::string text_;
    std::string_view rest_;  // of the line
    std::size_t line_ = 0;
    bool pattern_ = false;
    bool symmetric_ = false;
};

inline sparse_matrix read_matrix_market(const std::string& path) {
    std::ifstream file(path);
    if (!file) {
        throw bad_input("cannot read " + path);
    }
    return matrix_market_reader(file, path).read();
}

inline void write_matrix_market(const std::string& path, int n, const std::vector<matrix_entry>& lower) {
    std::ofstream file(path);
    file << "%%MatrixMarket matrix coordinate real symmetric\n" << n << ' ' << n << ' ' << lower.size() << '\n';
    for (const matrix_entry& e : lower) {
        file << e.row + 1 << ' ' << e.column + 1 << ' ' << e.value << '\n';
    }
    if (!file.flush()) {
        throw bad_input("cannot write " + path);
    }
}

}  // namespace example
