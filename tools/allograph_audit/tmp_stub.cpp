#include <allograph/model/audit_report.hpp>
std::string allograph::v0::audit_report::text() const { return "TEXT\n"; }
std::string allograph::v0::audit_report::dot() const { return "DOT\n"; }
