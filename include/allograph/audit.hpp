#pragma once

/// Audit: what any `CUgraph`, whoever built it, does wrong with its memory.
#include <allograph/graph/audit.hpp>
