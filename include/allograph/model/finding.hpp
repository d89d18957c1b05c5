#pragma once

#include <string>

namespace allograph {
inline namespace v0 {

/// A broken rule of a program.
struct finding {
    std::string rule;  ///< its id: "O3"
    std::string text;  ///< the rule, the allocation, every line involved, and the fix
};

}  // namespace v0
}  // namespace allograph
