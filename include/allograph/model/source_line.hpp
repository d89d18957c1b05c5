#pragma once

namespace allograph {
inline namespace v0 {

/// A line of the user's program, kept for diagnostics. A default one is unknown.
///
/// Not `std::source_location`: clang 14 has none for libstdc++. The builtins behind the default arguments of
/// every member that takes a line are those of g++, clang, nvcc and MSVC alike.
struct source_line {
    const char* file = "";  ///< as the compiler names it
    unsigned line = 0;      ///< from 1 on; 0 where it is not known

    /// True where there is one.
    [[nodiscard]] constexpr bool known() const noexcept { return line != 0; }
};

}  // namespace v0
}  // namespace allograph
