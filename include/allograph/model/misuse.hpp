#pragma once

#include <stdexcept>
#include <string>

#include <allograph/model/source_line.hpp>

namespace allograph {
inline namespace v0 {

/// A mistake of the calling program, found before the driver was called: the call that threw changed nothing.
///
/// `what()` is the whole located message; `rule()` is the id of the rule that it breaks ("D2", "F10", "O3").
class misuse : public std::logic_error {
public:
    /// @param rule  a string literal, the rule's id
    /// @param text  the message behind "allograph: [rule] "
    misuse(const char* rule, const std::string& text)
        : std::logic_error("allograph: [" + std::string(rule) + "] " + text), rule_(rule) {}

    /// The id of the rule, as in "O3", or a word where no rule of the driver has one: "grid", "argument", "plan".
    [[nodiscard]] const char* rule() const noexcept { return rule_; }

private:
    const char* rule_;
};

namespace detail {

/// "solver.cpp:41", or nothing for an unknown line.
inline std::string line_text(source_line where) {
    if (!where.known()) {
        return {};
    }
    std::string path = where.file;
    const std::size_t slash = path.find_last_of("/\\");
    return (slash == std::string::npos ? path : path.substr(slash + 1)) + ":" + std::to_string(where.line);
}

/// Throws a `misuse`. No constant expression may reach it: there the build stops, and the compiler shows the rule
/// and the text among the arguments of this call.
[[noreturn, gnu::noinline, gnu::cold]] inline void broken_rule(const char* rule, const char* text, source_line where = {}) {
    throw misuse(rule, where.known() ? text + ("\n  at         " + line_text(where)) : std::string(text));
}

}  // namespace detail
}  // namespace v0
}  // namespace allograph
