#pragma once

/// Capture of streams into graphs, for library calls that only know streams: `std::move(g).capture(stream)`, and
/// `g.add_captured(deps, work, uses(...))`.
#include <allograph/graph/capture_scope.hpp>
#include <allograph/graph/detail/capturing.hpp>
