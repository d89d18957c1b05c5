// Puts the report in JSON that it reads into the audit's page.
#include <cstdio>
#include <string>

#include <allograph/graph/audit_html.hpp>

int main() {
    std::string json;
    for (int c = 0; (c = std::getchar()) != EOF;) {
        json += static_cast<char>(c);
    }
    return std::fputs(allograph::detail::audit_page_of(json).c_str(), stdout) < 0;
}
