#pragma once

#include <string>

#include <allograph/model/source_line.hpp>

namespace allograph {
inline namespace v0 {

/// A broken rule of a program.
struct finding {
    const char* rule;  ///< its id: "O3"
    std::string text;  ///< the rule, the allocation, every line involved, and the fix
    source_line at;    ///< the call that breaks it
};

}  // namespace v0
}  // namespace allograph
