#pragma once

/// Capture of streams into graphs: `std::move(g).capture(stream)`, for library calls that only know streams.
#include <allograph/graph/capture_scope.hpp>
