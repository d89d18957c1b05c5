// The texts of misuse and driver_error.

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <allograph/driver/driver_error.hpp>
#include <allograph/model/detail/message.hpp>

namespace ag = allograph;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a misuse names its rule first", "[errors]") {
    const ag::misuse mistake("O3", "the free comes too early");
    CHECK(mistake.rule() == std::string("O3"));
    CHECK(mistake.what() == std::string("allograph: [O3] the free comes too early"));
    try {
        ag::detail::broken_rule("A2", "nothing", {"/home/me/solver.cpp", 41});
    } catch (const std::logic_error& error) {
        CHECK(error.what() == std::string("allograph: [A2] nothing\n  at         solver.cpp:41"));
    }
    try {
        ag::detail::broken_rule("A2", "nothing");
    } catch (const ag::misuse& error) {
        CHECK(error.what() == std::string("allograph: [A2] nothing"));
    }
}

TEST_CASE("lines are written without their folders", "[errors]") {
    CHECK(ag::detail::line_text({"/a/b/solver.cpp", 7}) == "solver.cpp:7");
    CHECK(ag::detail::line_text({"C:\\b\\solver.cpp", 7}) == "solver.cpp:7");
    CHECK(ag::detail::line_text({"solver.cpp", 7}) == "solver.cpp:7");
    CHECK(ag::detail::line_text({}).empty());
    CHECK_FALSE(ag::source_line{}.known());
}

TEST_CASE("a driver_error is a system_error of the driver's category", "[errors]") {
    const ag::driver_error error(CUDA_ERROR_OUT_OF_MEMORY, "cuGraphLaunch", "exec = 0x10", {"/a/solver.cpp", 12});
    const std::system_error& as_system_error = error;
    CHECK(as_system_error.code().value() == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(as_system_error.code().category() == ag::driver_category());
    CHECK(error.code() == std::error_code(2, ag::driver_category()));
    CHECK(error.result() == CUDA_ERROR_OUT_OF_MEMORY);
    CHECK(error.call() == std::string("cuGraphLaunch"));
    CHECK(error.where().line == 12);
    CHECK(ag::driver_category().name() == std::string("cuda driver"));
    CHECK_THAT(
        error.what(),
        ContainsSubstring("allograph: cuGraphLaunch(exec = 0x10) at solver.cpp:12: CUDA_ERROR_OUT_OF_MEMORY: out of memory"));
    const ag::driver_error without_line(CUDA_ERROR_INVALID_VALUE, "cuInit", "", {});
    CHECK_THAT(without_line.what(), ContainsSubstring("allograph: cuInit(): CUDA_ERROR_INVALID_VALUE"));
}

TEST_CASE("arguments are shown as numbers and handles", "[errors]") {
    const int object = 0;
    std::string text;
    try {
        ag::driver::check(CUDA_ERROR_INVALID_VALUE, "cuCall", {"a.cpp", 1},
                          {{"bytes", std::uint64_t{4096}},
                           {"graph", reinterpret_cast<const void*>(0xAB10)},
                           {"node", static_cast<const void*>(nullptr)},
                           {"object", &object}});
    } catch (const ag::driver_error& error) {
        text = error.what();
    }
    CHECK_THAT(text, ContainsSubstring("cuCall(bytes = 4096, graph = 0xab10, node = null, object = 0x"));
    CHECK_NOTHROW(ag::driver::check(CUDA_SUCCESS, "cuCall", {}));
}

TEST_CASE("an error that the driver does not know has its number", "[errors]") {
    CHECK(ag::driver_category().message(123456) == "unknown CUresult 123456");
    CHECK(ag::driver_category().message(CUDA_SUCCESS) == "CUDA_SUCCESS: no error");
}

TEST_CASE("sizes are written for people", "[errors]") {
    CHECK(ag::detail::bytes_text(0) == "0 bytes");
    CHECK(ag::detail::bytes_text(1023) == "1023 bytes");
    CHECK(ag::detail::bytes_text(1024) == "1 KiB");
    CHECK(ag::detail::bytes_text(1536) == "1.5 KiB");
    CHECK(ag::detail::bytes_text(std::uint64_t{4} << 20) == "4 MiB");
    CHECK(ag::detail::bytes_text((std::uint64_t{3} << 40) + (std::uint64_t{1} << 39)) == "3.5 TiB");
    CHECK(ag::detail::bytes_text(~std::uint64_t{0}) == "15.9 EiB");
}
