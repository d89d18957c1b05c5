#pragma once

#include <allograph/model/source_line.hpp>

namespace allograph {
inline namespace v0 {

/// The answer of `verify`: true where the program keeps every rule; else the first rule that it breaks, and where.
struct verdict {
    const char* rule = nullptr;  ///< "O3"; null where all is well
    source_line at{};            ///< the call that breaks it
    source_line allocated{};     ///< the allocation involved, if one is
    source_line used{};          ///< the other node involved, if one is

    /// True where the program keeps every rule.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return rule == nullptr; }
    /// True where this rule is the one that the program breaks.
    [[nodiscard]] constexpr bool breaks(const char* id) const noexcept {
        if (rule == nullptr) {
            return false;
        }
        const char* a = rule;
        while (*a != '\0' && *a == *id) {
            ++a;
            ++id;
        }
        return *a == *id;
    }
};

}  // namespace v0
}  // namespace allograph
