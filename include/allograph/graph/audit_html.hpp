#pragma once

#include <string>

#include <allograph/graph/detail/audit_page.hpp>
#include <allograph/graph/detail/audit_page_script.hpp>
#include <allograph/model/audit_report.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// The audit's page around a report in JSON. Nothing in the text can end the element that holds it: `<` may only stand in
/// JSON's strings, where it becomes an escape.
inline std::string audit_page_of(const std::string& json) {
    std::string page = audit_page;
    page.reserve(page.size() + json.size() + 40'000);
    for (const char c : json) {
        if (c == '<') {
            page += "\\u003c";
        } else {
            page += c;
        }
    }
    return page + audit_page_script;
}

}  // namespace detail

inline std::string audit_report::html() const { return detail::audit_page_of(json()); }

}  // namespace v0
}  // namespace allograph
