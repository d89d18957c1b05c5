#pragma once

/// Audit: what any `CUgraph`, whoever built it, does wrong with its memory.
#include <allograph/graph/audit.hpp>
#include <allograph/graph/audit_html.hpp>
