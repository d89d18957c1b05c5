#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include <allograph/graph/detail/audit_page.hpp>
#include <allograph/graph/detail/audit_page_controls.hpp>
#include <allograph/graph/detail/audit_page_graph.hpp>
#include <allograph/graph/detail/audit_page_layout.hpp>
#include <allograph/graph/detail/audit_page_memory.hpp>
#include <allograph/graph/detail/audit_page_report.hpp>
#include <allograph/model/audit_report.hpp>

namespace allograph {
inline namespace v0 {
namespace detail {

/// The audit's page around a report in JSON. Nothing in the text can end the element that holds it: `<` may only stand in
/// JSON's strings, where it becomes an escape.
inline std::string audit_page_of(const std::string& json) {
    std::string page = audit_page;
    for (std::size_t from = 0; from < json.size();) {
        const std::size_t to = std::min(json.find('<', from), json.size());
        page.append(json, from, to - from);
        if (to < json.size()) {
            page += "\\u003c";
        }
        from = to + 1;
    }
    for (const char* part : {audit_page_report, audit_page_layout, audit_page_graph, audit_page_memory, audit_page_controls}) {
        page += part;
    }
    return page;
}

}  // namespace detail

inline std::string audit_report::html() const { return detail::audit_page_of(json()); }

}  // namespace v0
}  // namespace allograph
