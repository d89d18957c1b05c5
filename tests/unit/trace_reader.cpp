// The reader of buffer-lifetime traces of the examples: each bad input is one clear line.

#include <cstdio>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "../../examples/trace.hpp"

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

class trace_file {
public:
    explicit trace_file(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("allograph_trace_" + std::to_string(getpid()) + ".csv")) {
        std::ofstream(path_) << text;
    }
    trace_file(const trace_file&) = delete;
    trace_file& operator=(const trace_file&) = delete;
    ~trace_file() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

const std::string header = "id,lower,upper,size\n";

/// What reading `text` complains of, or nothing.
std::string complaint(const std::string& text, std::uint64_t unit = 1024) {
    const trace_file file(text);
    try {
        (void)read_trace(file.path(), unit);
    } catch (const std::runtime_error& error) {
        std::string what = error.what();
        CHECK(what.find('\n') == std::string::npos);
        CHECK(what.starts_with(file.path() + ":"));
        return what.substr(file.path().size() + 1);
    }
    return {};
}

}  // namespace

TEST_CASE("a trace is read", "[trace]") {
    const trace_file file(header + "b1,0,3,4\r\n\nany text,1,2,1 \nb3,-5,9,100\n");
    const auto buffers = read_trace(file.path(), 1024);
    REQUIRE(buffers.size() == 3);
    CHECK(buffers[0].lower == 0);
    CHECK(buffers[0].upper == 3);
    CHECK(buffers[0].bytes == 4096);
    CHECK(buffers[1].bytes == 1024);
    CHECK(buffers[2].lower == -5);
    CHECK(read_trace(file.path(), 1)[2].bytes == 100);
}

TEST_CASE("a trace that cannot be read", "[trace]") {
    try {
        (void)read_trace("/nowhere/trace.csv", 1);
        FAIL("read");
    } catch (const std::runtime_error& error) {
        CHECK(error.what() == std::string("/nowhere/trace.csv: cannot be read"));
    }
    try {
        (void)read_trace("/tmp", 1);
        FAIL("read");
    } catch (const std::runtime_error& error) {
        CHECK_THAT(error.what(), StartsWith("/tmp: "));
    }
}

TEST_CASE("a malformed trace names its line and what is wrong there", "[trace]") {
    CHECK_THAT(complaint(""), EndsWith("holds no buffer"));
    CHECK_THAT(complaint(header), EndsWith("holds no buffer"));
    CHECK_THAT(complaint("lower,upper,size\n1,2,3\n"), StartsWith("1: a trace starts with"));
    CHECK_THAT(complaint("b1,0,3,4\n"), StartsWith("1: a trace starts with"));
    CHECK_THAT(complaint(header + "b1,0,3\n"), StartsWith("2: four fields"));
    CHECK_THAT(complaint(header + "b1\n"), StartsWith("2: four fields"));
    CHECK_THAT(complaint(header + "b1,0,3,4\nb2,0,3,4,5\n"), StartsWith("3: more than four fields"));
    CHECK_THAT(complaint(header + "b1,0,3,4x\n"), StartsWith("2: more than four fields"));
    CHECK_THAT(complaint(header + "b1,0,3,4.5\n"), StartsWith("2: "));
    CHECK_THAT(complaint(header + "b1,a,3,4\n"), StartsWith("2: lower, upper and size are whole numbers"));
    CHECK_THAT(complaint(header + "b1,,3,4\n"), StartsWith("2: lower, upper and size are whole numbers"));
    CHECK_THAT(complaint(header + "b1,0 ,3,4\n"), StartsWith("2: "));
    CHECK_THAT(complaint(header + "b1,0,3,99999999999999999999\n"),
               StartsWith("2: lower, upper and size are whole numbers that fit 64 bits"));
    CHECK_THAT(complaint(header + "b1,3,3,4\n"), StartsWith("2: a buffer must end after it begins"));
    CHECK_THAT(complaint(header + "b1,4,3,4\n"), StartsWith("2: a buffer must end after it begins"));
    CHECK_THAT(complaint(header + "b1,0,3,0\n"), StartsWith("2: a buffer needs a size of at least 1"));
    CHECK_THAT(complaint(header + "b1,0,3,-4\n"), StartsWith("2: a buffer needs a size of at least 1"));
    CHECK_THAT(complaint(header + "b1,0,3,9223372036854775807\n"), StartsWith("2: this size, in bytes, is beyond any device"));
    CHECK_THAT(complaint(header + "b1,0,3,4611686018427387904\n", 2), StartsWith("2: this size, in bytes, is beyond any device"));
    CHECK(complaint(header + "b1,0,3,4611686018427387904\n", 1).empty());
}
